/** What a test needs that may not be there: told at the end of a run in which it was skipped. */

declare module 'vitest' {
	interface TaskMeta {
		/** In the words of a person who could provide it. */
		needs?: string;
	}
}

/** Options of a test, or of a group, that is skipped where something is missing: `it.skipIf(…)(name, needs('…'), …)`. */
export function needs(what: string): { meta: { needs: string } } {
	return { meta: { needs: what } };
}

/** What tests on recorded sessions need. */
export const needsCorpus = needs('recorded sessions, in the folder that CONTEXTD_CORPUS names');
/** What tests on modes, signals and special files need. */
export const needsPosix = needs('another system than Windows');
/** What tests on `/proc` and inotify need. */
export const needsLinux = needs('Linux');
