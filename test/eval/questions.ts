/** Decides by patterns, without a model, whether a text answers a question. */

import type { Question } from './evalFolder.ts';

/** Characters before and after a match of the first pattern in which the other patterns must match. */
const nearCharacters = 400;

/** Whether all of a question's patterns, and one of `any`, match close to a match of the first. */
export function isAnswered({ all, any }: Pick<Question, 'all' | 'any'>, text: string): boolean {
	const [first, ...others] = all;
	if (first === undefined) return false;
	for (const { index, 0: match } of text.matchAll(first)) {
		const near = text.slice(Math.max(0, index - nearCharacters), index + match.length + nearCharacters);
		const hasAll = others.every((pattern) => matches(pattern, near));
		if (hasAll && (any.length === 0 || any.some((pattern) => matches(pattern, near)))) return true;
	}
	return false;
}

/** Tests a pattern from the start of the text; `test` of a global pattern would continue after its last match. */
function matches(pattern: RegExp, text: string): boolean {
	return text.search(pattern) >= 0;
}
