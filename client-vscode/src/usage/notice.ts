/** Decides when a notice about a usage level is due. */

/** Share by which the usage must fall before the same level is reported again. */
const resetShare = 0.05;

export interface Notice {
	/** The highest level reported since the usage last fell; 0 for none. */
	reported: number;
	/** The level to report now; null for none. */
	due: number | null;
}

/**
 * Returns the notice that is due at the usage `ratio`, where `reported` is the level reported before. All values are
 * shares of the available tokens.
 */
export function noticeAt(levels: readonly number[], reported: number, ratio: number): Notice {
	const reached = Math.max(0, ...levels.filter((level) => ratio >= level));
	if (reached > reported) return { reported: reached, due: reached };
	const kept = levels.filter((level) => level <= reported && ratio >= level - resetShare);
	return { reported: Math.max(0, ...kept), due: null };
}

/** Converts the setting `notifyAt`, a list of percentages, to shares; ignores invalid levels. */
export function noticeLevelsOf(setting: unknown): number[] {
	if (!Array.isArray(setting)) return [];
	return setting
		.filter((level): level is number => typeof level === 'number' && level > 0 && level <= 100)
		.map((level) => level / 100);
}
