/** Whether a text answers a question: a lookup of patterns, so that no model is needed. */

import type { Question } from './evalFolder.ts';

/** Characters on each side of a match of the first pattern in which the others must match. */
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

/** `test` of a global pattern would begin where the last one ended. */
function matches(pattern: RegExp, text: string): boolean {
	return text.search(pattern) >= 0;
}
