/** Lines behind messages: how full the window is. */

import type { Dialect } from './dialects/dialect.ts';
import { levelLine } from './levels.ts';
import type { Stored } from './stored.ts';

/**
 * What is kept with a line behind the newest message of a list where the usage rose over a level; the line stays there
 * until the next decision.
 * @param ids the chain ids of `raw`
 * @param usageRatio usage over limit
 */
export function noted<Native>(
	stored: Stored<Native>,
	raw: readonly Native[],
	ids: readonly string[],
	dialect: Dialect<Native>,
	usageRatio: number,
): Stored<Native> {
	const newest = ids.at(-1);
	const native = raw.at(-1);
	if (newest === undefined || native === undefined) return stored;
	const { reached, text } = levelLine(stored.reached, usageRatio);
	if (text === undefined) return { ...stored, reached };
	// The host's message that takes no more words has the line wait for the next.
	if (dialect.noted(native, text) === native) return stored;
	const { held } = stored;
	return { ...stored, reached, held: { ...held, notes: { ...held.notes, [newest]: text } } };
}
