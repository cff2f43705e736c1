import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextUndo } from '../../../server/protocol/compact.ts';
import {
	contextCheckpoint,
	contextCheckpoints,
	contextHistory,
	contextRollback,
} from '../../../server/protocol/history.ts';
import { sessionAppend } from '../../../server/protocol/session.ts';
import { type App, startTestApp } from '../../support/app.ts';
import { assistantSays } from '../../support/messages.ts';
import { conversation, sessionMaker, statsIn } from '../../support/talk.ts';
import { compactIn, work } from './work.ts';

let app: App;

beforeAll(async () => {
	app = await startTestApp();
});

afterAll(() => app.stop());

const withMessages = sessionMaker(() => app, 'checkpoints');

describe('checkpoints', () => {
	it('are kept to five; the least recently used goes first', async () => {
		const id = await withMessages(conversation(2));
		const ids: string[] = [];
		for (let index = 0; index < 5; index++) {
			ids.push((await app.ask(contextCheckpoint, { sessionId: id, label: `c${index}` })).checkpointId);
		}
		await app.ask(sessionAppend, { sessionId: id, messages: conversation(2) });
		await app.ask(contextRollback, { sessionId: id, checkpointId: ids[4] ?? '' });
		await app.ask(contextRollback, { sessionId: id, checkpointId: ids[4] ?? '' });
		const sixth = await app.ask(contextCheckpoint, { sessionId: id, label: 'c5' });
		const { checkpoints } = await app.ask(contextCheckpoints, { sessionId: id });
		expect(checkpoints.map(({ checkpointId }) => checkpointId)).toEqual([
			...ids.slice(1),
			sixth.checkpointId,
		]);
		expect(checkpoints.map(({ label }) => label)).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
		expect((await app.refusal('context/rollback', { sessionId: id, checkpointId: ids[0] })).code).toBe(
			-31995,
		);
	});

	it('set one after the other without waiting are all kept', async () => {
		const id = await withMessages(conversation(2));
		const set = await Promise.all(
			Array.from({ length: 9 }, () => app.ask(contextCheckpoint, { sessionId: id })),
		);
		const { checkpoints } = await app.ask(contextCheckpoints, { sessionId: id });
		expect(checkpoints.map(({ checkpointId }) => checkpointId)).toEqual(
			set.slice(-5).map(({ checkpointId }) => checkpointId),
		);
	});

	it('give back the very history, beyond a compaction, and lose nothing', async () => {
		const thought = [{ type: 'reasoning' as const, text: 'hm', signature: 'sig' }];
		const messages = [...work(10), assistantSays('', { id: 'think', content: thought })];
		const id = await withMessages(messages);
		const before = await app.ask(contextHistory, { sessionId: id });
		const { checkpointId } = await app.ask(contextCheckpoint, { sessionId: id });
		await app.ask(sessionAppend, {
			sessionId: id,
			messages: conversation(6, 100),
		});
		await compactIn(app, id);
		const { discarded, stats } = await app.ask(contextRollback, { sessionId: id, checkpointId });
		expect(discarded.length).toBeGreaterThan(0);
		const after = await app.ask(contextHistory, { sessionId: id });
		expect(after.messages).toEqual(before.messages);
		expect(stats?.messageCount).toBe(messages.length);
		await app.ask(contextUndo, { sessionId: id });
		expect((await statsIn(app, id)).messageCount).not.toBe(messages.length);
	});

	it.each(['../x', '', '__proto__', 'x'.repeat(10_000)])(
		'of an odd name are not found: %j',
		async (checkpointId) => {
			const id = await withMessages(conversation(2));
			expect((await app.refusal('context/rollback', { sessionId: id, checkpointId })).code).toBe(-31995);
		},
	);
});
