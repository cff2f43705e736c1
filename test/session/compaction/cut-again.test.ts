import { describe, expect, it } from 'vitest';
import type { ChatMessage, ContentPart } from '../../../server/protocol/conversation.ts';
import { answer, call, logLines, prose, result, user } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const config = { enablePrune: false, enableDeduplicate: false, enableSummarize: false, recentCount: 9 };

const image: ContentPart = { type: 'image', mediaType: 'image/png', data: 'AAAA', width: 900, height: 900 };

/** Compacts one large answer to each target in turn. Returns its content after that. */
async function cutDown(content: ChatMessage['content'], targets: readonly number[]) {
	const test = testWorld();
	const session = await sessionWith(test, [user('u', 'go'), answer('a', content), user('v', 'ok')]);
	for (const targetTokens of targets) {
		const { compacted, tokensAfter } = await compactNow(session, { targetTokens, config });
		expect(compacted, `to ${targetTokens}`).toBe(true);
		expect(tokensAfter).toBeLessThanOrEqual(targetTokens);
		expect(tokensAfter).toBeGreaterThan(0.9 * targetTokens - 20);
	}
	return (await historyOf(session)).find(({ id }) => id === 'a')?.content;
}

describe('a message whose middle was cut', () => {
	it.each([
		['prose', prose(6000)],
		['a log', logLines(600)],
	])(
		'a message whose middle was cut loses more at each lower target, and no more than that (%s)',
		async (_, text) => {
			const left = String(await cutDown(text, [8000, 4000, 2000, 1000, 500, 250]));
			expect(left.match(/tokens cut here; original a/g)).toHaveLength(1);
			expect(text.startsWith(left.slice(0, left.indexOf('\n[…')))).toBe(true);
		},
	);

	it('a message whose middle is cut keeps its image and loses text only', async () => {
		const left = await cutDown([{ type: 'text', text: prose(3000) }, image], [4000, 2500, 1800, 1500, 1300]);
		expect(left?.[1]).toEqual(image);
	});

	it('the note in a cut call counts the tokens of its arguments', async () => {
		const session = await sessionWith(testWorld(), [
			user('u', 'go'),
			call('c', ['k'], 'write', { path: 'a.md', content: prose(6000) }),
			result('r', 'k', 'written'),
			user('v', 'ok'),
		]);
		const { tokensBefore, tokensAfter } = await compactNow(session, { targetTokens: 2000, config });
		const cut = JSON.stringify(await historyOf(session)).match(/about (\d+) tokens cut here; original c/);
		expect(Number(cut?.[1]) / (tokensBefore - tokensAfter)).toBeCloseTo(1, 1);
	});
});
