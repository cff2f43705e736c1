/** Counts the tokens of a request with a tokenizer that the daemon does not use. */

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { isFields } from './wire.ts';

/** Fields that a provider does not show to the model, or shows as one or two tokens. */
const uncountedFields = new Set([
	'id',
	'type',
	'role',
	'model',
	'call_id',
	'tool_use_id',
	'tool_call_id',
	'signature',
	'thoughtSignature',
	'encrypted_content',
]);

/** Minimum length of texts whose counts are cached: every request contains nearly all of the previous request. */
const minCachedLength = 40;

/** Returns a counter of the texts in a JSON value, with three tokens for the framing of each object. */
export function createCounter(): (value: unknown) => number {
	const known = new Map<string, number>();
	const text = (value: string): number => {
		if (value.length < minCachedLength) return countTokens(value);
		const before = known.get(value);
		if (before !== undefined) return before;
		const tokens = countTokens(value, { disallowedSpecial: new Set() });
		known.set(value, tokens);
		return tokens;
	};
	const count = (value: unknown): number => {
		if (typeof value === 'string') return text(value);
		if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + count(one), 0);
		if (!isFields(value)) return value === undefined || value === null ? 0 : 1;
		return Object.entries(value).reduce(
			(sum, [key, one]) => (uncountedFields.has(key) ? sum : sum + count(one)),
			3,
		);
	};
	return count;
}
