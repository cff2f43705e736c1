/** Damages JSON values by replacing a part. */

import fc from 'fast-check';

/** Generates values that no record has at the replaced position. */
export const strangeValue = fc.oneof(
	fc.constantFrom(
		null,
		undefined,
		0,
		-1,
		NaN,
		'',
		'x',
		true,
		[],
		{},
		[null],
		[[]],
		{ type: 'text' },
		['a'],
		{ text: 5 },
		'__proto__',
		1e300,
		2_000_000_000.5,
		'constructor',
	),
	fc.jsonValue({ maxDepth: 2 }),
);

/** Returns a value with another value at a path. Each index of the path selects one of several siblings. */
export function spoil(value: unknown, path: readonly number[], by: unknown): unknown {
	const [step, ...rest] = path;
	if (step === undefined || typeof value !== 'object' || value === null) return by;
	const keys = Object.keys(value);
	const key = keys[step % Math.max(1, keys.length)];
	if (key === undefined) return by;
	const changed = spoil((value as Record<string, unknown>)[key], rest, by);
	return Array.isArray(value) ? Object.assign([...value], { [key]: changed }) : { ...value, [key]: changed };
}
