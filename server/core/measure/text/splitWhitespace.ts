import { nextIndex, previousIndex, runEnd, WHITE } from './characterClass.ts';

/**
 * The end of the piece that `\s+(?!\S)|\s+` matches at `start`, where white space stands: the whole run at
 * the end of the text, otherwise all of it but the last character, which belongs to the word that follows;
 * a run of one character is a piece of its own.
 */
export function whitespaceEnd(bytes: Uint8Array, start: number, end: number): number {
	const run = runEnd(bytes, start, end, WHITE);
	if (run === end) return run;
	const beforeLast = previousIndex(bytes, run);
	return beforeLast > start ? beforeLast : nextIndex(bytes, start);
}
