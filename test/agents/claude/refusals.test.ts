/** Refused requests in the real Claude Code: none may shorten a conversation that was not too long. */

import { expect, it } from 'vitest';
import type { RefusalRule } from '../mock/server.ts';
import { insideClaudeCode } from './inside.ts';
import { readingSteps } from './script.ts';
import type { ClaudeProcess, ClaudeSession } from './session.ts';
import { mainOf, problemsOf, summariesOf } from './wire.ts';

const invalid = (message: string) => ({ status: 400, message });
const gateway = { status: 413, message: 'Request Entity Too Large' };

/** Returns a rule that refuses a number of requests. */
function refusing(count: number, refusal: { status: number; message: string }): RefusalRule {
	let left = count;
	return () => (left-- > 0 ? refusal : undefined);
}

/** Refusals of the provider: a name, the rule, and the maximum number of requests that it refuses. */
const objections: readonly [what: string, rule: () => RefusalRule, maxRefused: number][] = [
	['something in one request', () => refusing(1, invalid('messages.3.content.0: bad thing')), 1],
	['an image', () => refusing(99, invalid('messages.3.content.0.image.source: Could not process image')), 4],
	['the credit balance', () => refusing(99, invalid('Your credit balance is too low to access the API.')), 2],
	['the content', () => refusing(99, invalid('Output blocked by content filtering policy')), 2],
	[
		'a signature',
		() => refusing(99, invalid('messages.1.content.0: Invalid `signature` in `thinking` block')),
		4,
	],
	['the bytes, as a gateway', () => refusing(99, gateway), 4],
	['the bytes twice, as a gateway', () => refusing(2, gateway), 2],
	['the size twice', () => refusing(2, invalid('prompt is too long: 90000 tokens > 10000 maximum')), 2],
];

/** Returns the tokens of the request for a prompt. */
async function sentFor(session: ClaudeSession, claude: ClaudeProcess, words: string): Promise<number> {
	session.mock.script([{ text: words }]);
	const { exchanges } = await claude.say(`Say ${words}`);
	expect(exchanges.flatMap(({ request }) => problemsOf(request))).toEqual([]);
	return mainOf(exchanges).at(-1)?.tokens ?? 0;
}

await insideClaudeCode((begin) => {
	it('the plugin keeps the whole conversation at 20,000 and 68,000 tokens, whatever the provider refuses', {
		timeout: 240_000,
	}, async () => {
		const session = await begin();
		const claude = await session.start();
		await sentFor(session, claude, 'Hello.');
		for (const [documents, tokens] of [
			[0, 20_000],
			[14, 68_000],
		] as const) {
			session.mock.script(await readingSteps(session, documents, 12_000, 1 + documents * 100));
			if (documents > 0) await claude.say('Please read the documents.');
			for (const [what, rule, maxRefused] of objections) {
				const before = await sentFor(session, claude, 'Before.');
				expect(before).toBeGreaterThan(tokens);
				const { length: refused } = session.mock.refused;
				const { length: told } = claude.notices();
				session.mock.refuseBy(rule());
				session.mock.script([{ text: 'Answer.' }]);
				const { exchanges } = await claude.say('Say Answer.');
				session.mock.refuseBy(undefined);
				expect(summariesOf(exchanges), what).toBe(0);
				expect(session.mock.refused.length - refused, what).toBeLessThanOrEqual(maxRefused);
				expect(await sentFor(session, claude, 'After.'), what).toBeGreaterThan(before);
				expect((await claude.say('/contextd')).text, what).toMatch(/ of 167,000 tokens/);
				expect(claude.notices().length - told, what).toBeLessThanOrEqual(2);
			}
		}
		expect(await session.transcript()).not.toContainEqual(
			expect.objectContaining({ subtype: 'compact_boundary' }),
		);
	});

	it('the plugin learns a smaller window from refusals and answers, reports it once, and an undo removes it', {
		timeout: 120_000,
	}, async () => {
		const session = await begin();
		const claude = await session.start();
		session.mock.script(await readingSteps(session, 4, 12_000));
		await claude.say('Please read the documents.');
		const limit = 60_000;
		session.mock.allow(limit);
		session.mock.script(await readingSteps(session, 24, 12_000, 5));
		const { text, exchanges } = await claude.say('Please read more documents.');
		expect(text).toBe('All documents were read.');
		expect(summariesOf(exchanges)).toBe(0);
		expect(session.mock.refused).toHaveLength(4);
		const answered = Math.max(...mainOf(exchanges).map(({ tokens }) => tokens));
		expect(answered).toBeGreaterThan(0.85 * limit);
		const lessons = claude.notices().filter((line) => line.includes('the limit is now'));
		expect(lessons).toHaveLength(1);
		const [, learned = ''] = / of ([\d,]+) tokens/.exec((await claude.say('/contextd')).text) ?? [];
		expect(Number(learned.replaceAll(',', ''))).toBeGreaterThanOrEqual(answered);
		await claude.say('/contextd-undo');
		expect((await claude.say('/contextd')).text).toMatch(/ of 167,000 tokens/);
	});
});
