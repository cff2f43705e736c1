/** How deep params may be nested: everything that walks a value by recursion relies on a bound. */

import { isNestedDeeper } from '../../core/shape.ts';
import { shortened } from '../wire/shown.ts';

/** Levels of arrays and objects; no message of any provider comes near. */
const maxLevels = 1000;

/** Path segments that a message names before it leaves off. */
const maxNamedSegments = 6;

/**
 * Returns a sentence that names the member, what was expected and what came, if a value is nested deeper than
 * `maxLevels`. Linear in the value's size.
 * @param root what to call the value
 */
export function depthProblem(value: unknown, root = 'params'): string | undefined {
	// The value itself is the first level.
	let levels = maxLevels - 1;
	if (!isNestedDeeper(value, levels)) return undefined;
	let path = root;
	let inner = value;
	while (levels >= maxLevels - maxNamedSegments) {
		levels--;
		const [key = '', next] = Object.entries(inner ?? {}).find(([, one]) => isNestedDeeper(one, levels)) ?? [];
		path += Array.isArray(inner) ? `[${key}]` : `.${shortened(key)}`;
		inner = next;
	}
	return `${path}…: expected at most ${maxLevels} levels of nesting, got more`;
}
