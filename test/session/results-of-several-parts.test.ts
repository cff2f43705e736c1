import { expect, it } from 'vitest';
import type { CompactionConfig } from '../../server/protocol/compact.ts';
import type { ContentPart } from '../../server/protocol/conversation.ts';
import { answer, call, logLines, result, user } from '../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../support/world.ts';

const parts: ContentPart[] = [
	{ type: 'text', text: logLines(150, 1) },
	{ type: 'image', mediaType: 'image/png', data: 'AAAA', width: 900, height: 900 },
	{ type: 'text', text: `${logLines(150, 2)}\nError: the last line tells` },
];

const messages = [
	user('u', 'go'),
	call('c', ['k']),
	result('r', 'k', parts),
	answer('a', 'seen'),
	user('v', 'and now?'),
];

async function shortened(targetTokens: number, config: CompactionConfig) {
	const test = testWorld();
	const session = await sessionWith(test, messages);
	const all = {
		enablePrune: false,
		enableDeduplicate: false,
		enableSummarize: false,
		enableTruncate: false,
		pruneProtectTokens: 0,
		pruneMinimumSavings: 0,
		recentCount: 9,
	};
	const answered = await compactNow(session, { targetTokens, config: { ...all, ...config } });
	const left = (await historyOf(session)).find(({ id }) => id === 'r');
	return { answered, left, text: JSON.stringify(left?.content) };
}

it.each([4000, 1500, 600])(
	'a result of several parts that is pruned to %i tokens names the removal and the original',
	async (target) => {
		const { answered, left, text } = await shortened(target, { enablePrune: true });
		expect(answered.tokensAfter).toBeLessThanOrEqual(target);
		expect(text).toMatch(/\[Tool result cleared: \d+ tokens, original r\]/);
		expect(text).toContain('Error: the last line tells');
		expect(text).not.toContain('AAAA');
		expect(left?.metadata?.truncated).toBe(true);
	},
);

it('a result of several parts whose middle is cut keeps its image, and marks the cut in each text', async () => {
	const { answered, left, text } = await shortened(2500, { enableTruncate: true });
	expect(answered.tokensAfter).toBeLessThanOrEqual(2500);
	expect(Array.isArray(left?.content) && left.content[1]).toEqual(parts[1]);
	expect(text.match(/tokens cut here; original r/g)).toHaveLength(2);
	expect(text).toContain('Error: the last line tells');
});

it('pruning does not modify the appended messages', async () => {
	const before = structuredClone(messages);
	await shortened(600, { enablePrune: true });
	expect(messages).toEqual(before);
});
