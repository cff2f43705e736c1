/** Decides when a notice about a usage level is due. */

/** Share by which the usage must fall before the same level is reported again. */
const resetShare = 0.05;

export interface Notice {
	/** The highest level reported in this rise; 0 for none. */
	reported: number;
	/** The level to report now; null for none. */
	due: number | null;
}

/** Returns the notice at `ratio`, if `reported` was the last level. All are shares of the available tokens. */
export function noticeAt(levels: readonly number[], reported: number, ratio: number): Notice {
	const reached = Math.max(0, ...levels.filter((level) => ratio >= level));
	if (reached > reported) return { reported: reached, due: reached };
	const kept = levels.filter((level) => level <= reported && ratio >= level - resetShare);
	return { reported: Math.max(0, ...kept), due: null };
}

/** Converts a setting in percent to shares; ignores invalid levels. */
export function noticeLevelsOf(setting: unknown): number[] {
	if (!Array.isArray(setting)) return [];
	return setting
		.filter((level): level is number => typeof level === 'number' && level > 0 && level <= 100)
		.map((level) => level / 100);
}
