import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { appendMessages } from '../../server/session/append.ts';
import { compactSession } from '../../server/session/compaction/request.ts';
import { renderHistory } from '../../server/session/history.ts';
import { updateSession } from '../../server/session/store/sessions.ts';
import { toolSession } from '../support/messages.ts';
import { soakFactor } from '../support/soak.ts';
import { compactNow, previewNow, sessionWith, testWorld, unwatched } from '../support/world.ts';

describe('changing the model during a compaction', () => {
	it('all visible messages are counted for the new model if the model changes during a compaction', async () => {
		await fc.assert(
			fc.asyncProperty(fc.scheduler(), fc.nat(20), async (scheduler, delay) => {
				let waits = false;
				const test = testWorld({
					pause: () => (waits ? scheduler.schedule(Promise.resolve()) : Promise.resolve()),
				});
				const session = await sessionWith(test, toolSession(60));
				await compactNow(session, { targetTokens: 6000 });
				waits = true;
				const compacting = compactSession(session, { targetTokens: 3000 }, unwatched(session));
				const change = { sessionId: 's', provider: 'openai', model: 'gpt-4o' };
				const updating = (async () => {
					for (let turn = 0; turn < delay; turn++) await scheduler.schedule(Promise.resolve());
					return updateSession(test.store, test.client, change);
				})();
				const [result] = await scheduler.waitFor(Promise.all([compacting, updating]));
				waits = false;
				expect(result?.compacted).toBe(true);
				const measure = test.world.measures.getMeasure('openai', 'gpt-4o', 'heuristic');
				expect(session.state.measure).toBe(measure.key);
				const { messages } = await renderHistory(session, 'contextd');
				const shown = new Map((messages as ChatMessage[]).map((message) => [message.id, message]));
				for (const { row } of session.state.view) {
					const message = shown.get(row.id);
					expect(message && measure.countMessage(message)).toEqual(row.counts);
				}
			}),
			{ numRuns: 20 * soakFactor },
		);
	});
});

describe('changing the model during a preview', () => {
	it('a preview is unaffected by a model that changes meanwhile', async () => {
		const open = async (pause: () => Promise<void>) => {
			const test = testWorld({ pause });
			const session = await sessionWith(test, toolSession(60));
			await compactNow(session, { targetTokens: 6000 });
			await appendMessages(
				session,
				toolSession(70)
					.slice(-40)
					.map((one) => ({ ...one, id: `later-${one.id}` })),
				'contextd',
				{ client: session.client },
			);
			return { test, session };
		};
		const alone = await open(() => Promise.resolve());
		const expected = await previewNow(alone.session, { targetTokens: 3000 });
		let pauses = 0;
		let change: (() => Promise<unknown>) | undefined;
		const { test, session } = await open(async () => {
			if (change && ++pauses === 4) await change();
		});
		change = async () => {
			change = undefined;
			await updateSession(test.store, test.client, { sessionId: 's', provider: 'openai', model: 'gpt-4o' });
		};
		const { after, ...tried } = await previewNow(session, { targetTokens: 3000 });
		expect(change).toBeUndefined();
		expect(session.state.measure).not.toBe(alone.session.state.measure);
		expect({ ...tried, after }).toEqual(expected);
	});
});
