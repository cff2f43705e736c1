import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { answer, call, logLines, prose, result, user } from '../../support/messages.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../../support/world.ts';

/** Returns lines that say nothing new, but differ: a result shows a line only once. */
function otherLines(count: number): string {
	return Array.from({ length: count }, (_, index) => `line ${index} of a log\n`).join('');
}

/** Returns a long turn of results that a summary barely quotes, with short answers between them. */
function turn(results: number): ChatMessage[] {
	return Array.from({ length: results }, (_, index) => [
		call(`c${index}`, [`call-${index}`], 'read_file', { path: `src/desk-${index}.ts` }),
		result(`r${index}`, `call-${index}`, otherLines(300 + index), {
			toolName: 'read_file',
		}),
		answer(`a${index}`, prose(6, index)),
	]).flat();
}

async function compacted(messages: readonly ChatMessage[], share: number) {
	const session = await sessionWith(testWorld(), messages);
	const { tokensBefore } = await previewNow(session);
	const targetTokens = Math.floor(share * tokensBefore);
	const done = await compactNow(session, { targetTokens });
	return {
		fill: done.tokensAfter / targetTokens,
		history: await historyOf(session),
	};
}

it.each([0.5, 0.35, 0.25])(
	'compacting a running turn to %s of its size uses the whole target',
	async (share) => {
		const { fill } = await compacted([user('u', 'Read the desk.'), ...turn(30)], share);
		expect(fill).toBeGreaterThan(0.95);
		expect(fill).toBeLessThanOrEqual(1);
	},
);

it('the newest result is kept whole before older ones', async () => {
	const messages = [user('u', 'Read the log.'), ...turn(10)];
	messages.push(
		call('c', ['c'], 'bash', { command: 'cat log' }),
		result('r', 'c', logLines(60), { toolName: 'bash' }),
	);
	const { history } = await compacted(messages, 0.5);
	expect(history.find(({ id }) => id === 'r')?.content).toBe(logLines(60));
});
