import { afterEach, describe, expect, it } from 'vitest';
import { fileJournalStore } from '../../server/node/journal/fileJournalStore.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { appendMessages } from '../../server/session/append.ts';
import { renderHistory } from '../../server/session/history.ts';
import { statsOf } from '../../server/session/stats.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';
import { logLines, prose } from '../support/messages.ts';
import { compactNow, previewNow, sessionWith, testWorld } from '../support/world.ts';

/** An agent's session of about so many characters: prompts, calls, results of some kilobytes. */
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

/**
 * The longest time, in milliseconds of processor time, that a work kept everything else from running. Processor
 * time, since on a busy machine other processes would count in any other.
 */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
	let longest = 0;
	let isDone = false;
	let before = process.cpuUsage();
	const finished = work().finally(() => {
		isDone = true;
	});
	while (!isDone) {
		await new Promise((resolve) => setImmediate(resolve));
		const { user, system } = process.cpuUsage(before);
		longest = Math.max(longest, (user + system) / 1000);
		before = process.cpuUsage();
	}
	await finished;
	return longest;
}

describe('a session of 12 MB', () => {
	afterEach(removeFolders);

	it('never keeps others waiting for 200 ms while it grows, is measured and is compacted', {
		timeout: 120_000,
	}, async () => {
		const messages = transcript(12_000_000);
		const journals = fileJournalStore({ directory: freshFolder(), logger: silentLogger });
		const test = testWorld({ journals });
		const session = await sessionWith(test, []);
		const blocks = {
			append: await longestBlock(async () => {
				for (let at = 0; at < messages.length; at += 500) {
					await appendMessages(session, messages.slice(at, at + 500), 'contextd');
				}
			}),
			stats: await longestBlock(() => statsOf(session)),
			preview: await longestBlock(() => previewNow(session)),
			compact: await longestBlock(() => compactNow(session)),
			history: await longestBlock(() => renderHistory(session, 'anthropic')),
		};
		expect(session.state.rows).toHaveLength(messages.length);
		for (const [what, block] of Object.entries(blocks)) expect(block, what).toBeLessThan(200);
	});
});
