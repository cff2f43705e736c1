/** Limits the nesting of params, since recursive functions rely on a bound. */

import { isNestedDeeper } from '../../core/shape.ts';
import { shortenValue } from '../wire/shown.ts';

/** Levels of arrays and objects; far more than any provider's message has. */
const maxLevels = 1000;

/** Path segments that an error message shows. */
const maxNamedSegments = 6;

/**
 * Returns a sentence if a value is nested deeper than `maxLevels`. Linear in the value's size.
 *
 * The sentence names the member, the expected depth and what was received.
 * @param root name of the value
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
		path += Array.isArray(inner) ? `[${key}]` : `.${shortenValue(key)}`;
		inner = next;
	}
	return `${path}…: expected at most ${maxLevels} levels of nesting, got more`;
}
