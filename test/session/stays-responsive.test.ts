import { afterEach, describe, expect, it } from 'vitest';
import { createFileJournals } from '../../server/node/journal/fileJournalStore.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { appendMessages } from '../../server/session/append.ts';
import { renderFullHistory, renderHistory } from '../../server/session/history.ts';
import { readStats } from '../../server/session/stats.ts';
import { undoStep } from '../../server/session/steps.ts';
import { validateHistory } from '../../server/session/store/validate.ts';
import { describeTimeline } from '../../server/session/timeline.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';
import { longestBlock, shortMessages } from '../support/longestBlock.ts';
import { logLines, prose } from '../support/messages.ts';
import { compactNow, previewNow, sessionWith, testWorld } from '../support/world.ts';

/** Returns an agent's session of about this many characters: prompts, calls, results of some kilobytes. */
function transcript(characters: number): ChatMessage[] {
	const messages: ChatMessage[] = [];
	for (let turn = 0, size = 0; size < characters; turn++) {
		const batch: ChatMessage[] = [
			...(turn % 20 === 0 ? [{ role: 'user' as const, content: prose(60, turn) }] : []),
			{
				role: 'assistant',
				content: prose(20, turn),
				toolCalls: [{ id: `call-${turn}`, name: 'run', args: { command: `make part${turn}` } }],
			},
			{ role: 'tool', toolCallId: `call-${turn}`, toolName: 'run', content: logLines(40, turn) },
		];
		messages.push(...batch);
		size += batch.reduce((sum, { content }) => sum + content.length, 0);
	}
	return messages;
}

describe('a session of 12 MB', () => {
	afterEach(removeFolders);

	it('appending, measuring and compacting 12 MB never blocks other calls for 200 ms', {
		timeout: 120_000,
	}, async () => {
		const messages = transcript(12_000_000);
		const journals = createFileJournals({ directory: freshFolder(), logger: silentLogger });
		const test = testWorld({ journals });
		const session = await sessionWith(test, []);
		const blocks = {
			append: await longestBlock(async () => {
				for (let index = 0; index < messages.length; index += 500) {
					await appendMessages(session, messages.slice(index, index + 500), 'contextd', {
						client: session.client,
					});
				}
			}),
			stats: await longestBlock(() => readStats(session, session.client)),
			preview: await longestBlock(() => previewNow(session)),
			compact: await longestBlock(() => compactNow(session)),
			history: await longestBlock(() => renderHistory(session, 'anthropic')),
		};
		expect(session.state.rows).toHaveLength(messages.length);
		for (const [what, block] of Object.entries(blocks)) expect(block, what).toBeLessThan(200);
	});
});

describe('a session of 60,000 short messages that read few files repeatedly', () => {
	afterEach(removeFolders);

	it('compacting, undoing and opening 60,000 messages never blocks other calls for 250 ms', {
		timeout: 120_000,
	}, async () => {
		const journals = createFileJournals({ directory: freshFolder(), logger: silentLogger });
		const test = testWorld({ journals });
		const session = await sessionWith(test, []);
		for (let index = 0; index < 60_000; index += 1000) {
			await appendMessages(session, shortMessages(index, 1000), 'contextd', { client: session.client });
		}
		const blocks = {
			compact: await longestBlock(() => compactNow(session)),
			undo: await longestBlock(() => undoStep(session, session.client)),
			again: await longestBlock(() => compactNow(session)),
			open: await longestBlock(async () => (await test.restart()).run('s', test.client, () => undefined)),
		};
		for (const [what, block] of Object.entries(blocks)) expect(block, what).toBeLessThan(250);
	});
});

describe('a session of 40,000 messages', () => {
	it('reading 40,000 messages never blocks other calls for 80 ms', { timeout: 300_000 }, async () => {
		const test = testWorld();
		const session = await sessionWith(test, shortMessages(0, 40_000));
		const reads = {
			history: () => renderHistory(session),
			everything: () => renderFullHistory(session),
			gemini: () => renderHistory(session, 'gemini'),
			anthropic: () => renderHistory(session, 'anthropic'),
			timeline: () => describeTimeline(session, session.client),
			validate: () => validateHistory(test.store, test.client, { sessionId: 's' }),
		};
		for (const [what, read] of Object.entries(reads)) {
			// The first run may be slow because of the compiler or the garbage collector.
			const blocks = [await longestBlock(read), await longestBlock(read), await longestBlock(read)];
			expect(Math.min(...blocks), what).toBeLessThan(80);
		}
	});
});
