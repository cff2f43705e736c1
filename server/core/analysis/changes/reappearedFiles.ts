/** Finds removed files and folders that exist again, according to a later output or edit. */

import { getFileName, mayContain } from '../../files/paths.ts';
import type { CallOutcome } from '../message/callOutcome.ts';
import type { CallAnalyses, TouchedFile, TouchedFiles } from './fileCalls.ts';

/** Commands that show which files there are. */
const listingPattern = /(?:^|[;&|]\s{0,9})(?:ls|du|wc|stat|find|tree)\b/;
/** Lines that name a file which is not there. */
const absencePattern = /no such file|cannot|not found|does not exist|^\s*(?:D |deleted)/i;
/** Shorter names may be those of other files. UTF-16 units. */
const minNameLength = 5;

/**
 * Returns a test whether a removed path exists again, because a later listing shows it or a later edit is inside it. O(calls and
 * changed files) for each path.
 */
export function createReappearanceTest({
	outcomes: { byResult },
	filesAtEnd: { changed },
}: Pick<CallAnalyses, 'outcomes'> & { filesAtEnd: TouchedFiles }): (file: TouchedFile) => boolean {
	// Most sessions remove no file, and then need no listings.
	let listings: CallOutcome[] | undefined;
	return ({ path, seq }) => {
		if (changed.some((file) => file.seq > seq && file.path !== path && mayContain(path, file.path)))
			return true;
		const name = getFileName(path);
		if (name.length < minNameLength) return false;
		listings ??= [...byResult.values()].filter(
			({ command, failed }) => !failed && listingPattern.test(command),
		);
		return listings.some(
			({ caller, result: { text } }) =>
				caller.seq > seq &&
				text.includes(name) &&
				text.split('\n').some((line) => !absencePattern.test(line) && line.split(/[\s/|]+/).includes(name)),
		);
	};
}
