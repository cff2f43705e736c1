/** Declares things that a test needs and that may be missing. They are printed after a run that skipped the test. */

declare module 'vitest' {
	interface TaskMeta {
		/** Description of the need for a person who could provide it. */
		needs?: string;
	}
}

/** Returns the options of a test or group that is skipped if something is missing: `it.skipIf(…)(name, needs('…'), …)`. */
export function needs(what: string): { meta: { needs: string } } {
	return { meta: { needs: what } };
}

/** The need of tests on recorded sessions. */
export const needsCorpus = needs('recorded sessions, in the folder that CONTEXTD_CORPUS names');
/** The need of tests on modes, signals and special files. */
export const needsPosix = needs('another system than Windows');
/** The need of tests on `/proc` and inotify. */
export const needsLinux = needs('Linux');
