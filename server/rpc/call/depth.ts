/** How deep params may be nested: everything that walks a value by recursion relies on a bound. */

import { shortened } from '../wire/shown.ts';

/** Levels of arrays and objects; no message of any provider comes near. */
export const deepestLevel = 1000;

/** Path segments that a message names before it leaves off. */
const namedSegments = 6;

interface Level {
	keys: readonly string[] | null;
	values: readonly unknown[];
	next: number;
}

function levelOf(value: object): Level {
	if (Array.isArray(value)) return { keys: null, values: value, next: 0 };
	return { keys: Object.keys(value), values: Object.values(value), next: 0 };
}

function pathOf(levels: readonly Level[], root: string): string {
	const segments = levels
		.slice(0, namedSegments)
		.map(({ keys, next }) => (keys ? `.${shortened(keys[next - 1] ?? '')}` : `[${next - 1}]`));
	return `${root}${segments.join('')}${levels.length > namedSegments ? '…' : ''}`;
}

/**
 * Where a value is nested deeper than `deepestLevel`, a sentence that names the place, what was expected and what
 * came. Linear in the value's size, without recursion.
 * @param root what to call the value
 */
export function depthProblem(value: unknown, root = 'params'): string | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	const levels: Level[] = [levelOf(value)];
	for (let level = levels.at(-1); level; level = levels.at(-1)) {
		if (level.next >= level.values.length) {
			levels.pop();
			continue;
		}
		const inner = level.values[level.next++];
		if (typeof inner !== 'object' || inner === null) continue;
		if (levels.length === deepestLevel) {
			return `${pathOf(levels, root)}: expected at most ${deepestLevel} levels of nesting, got more`;
		}
		levels.push(levelOf(inner));
	}
	return undefined;
}
