/** Decides when a notice about a usage level is due. */

/** Minimum drop of the usage, as a share, before the same level is reported again. */
const minFallShare = 0.05;

export interface Notice {
	/** The highest level reported since the usage last fell; 0 if none was reported. */
	reportedLevel: number;
	/** The level to report now; null for none. */
	dueLevel: number | null;
}

/** Returns the notice that is due at the usage `ratio` after `reportedLevel`; all values are shares of the available tokens. */
export function decideNotice(levels: readonly number[], reportedLevel: number, ratio: number): Notice {
	const reachedLevel = Math.max(0, ...levels.filter((level) => ratio >= level));
	if (reachedLevel > reportedLevel) return { reportedLevel: reachedLevel, dueLevel: reachedLevel };
	const reportedLevels = levels.filter((level) => level <= reportedLevel && ratio >= level - minFallShare);
	return { reportedLevel: Math.max(0, ...reportedLevels), dueLevel: null };
}

/** Converts the setting `notifyAt`, a list of percentages, to shares; ignores invalid levels. */
export function parseNoticeLevels(setting: unknown): number[] {
	if (!Array.isArray(setting)) return [];
	return setting
		.filter((level): level is number => typeof level === 'number' && level > 0 && level <= 100)
		.map((level) => level / 100);
}
