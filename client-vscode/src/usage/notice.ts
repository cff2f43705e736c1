/** When a notice is due, where the user wants one at some levels. */

/** Shares by which the window must empty again before the same level is told once more. */
const slack = 0.05;

export interface Notice {
	/** The highest level that has been told in this rise; 0 for none. */
	told: number;
	/** The level to tell now; null for none. */
	due: number | null;
}

/** What to tell at `ratio`, where `told` has been told before. Levels and ratio are shares of what is available. */
export function noticeAt(levels: readonly number[], told: number, ratio: number): Notice {
	const reached = Math.max(0, ...levels.filter((level) => ratio >= level));
	if (reached > told) return { told: reached, due: reached };
	const kept = levels.filter((level) => level <= told && ratio >= level - slack);
	return { told: Math.max(0, ...kept), due: null };
}

/** The levels of a setting in percent, as shares; what is no level is left out. */
export function levelsOf(setting: unknown): number[] {
	if (!Array.isArray(setting)) return [];
	return setting
		.filter((level): level is number => typeof level === 'number' && level > 0 && level <= 100)
		.map((level) => level / 100);
}
