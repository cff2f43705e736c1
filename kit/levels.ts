/** The lines that tell a model how full its window is. */

/** Percent of the limit at which a line is said. */
export const levels = [70, 85, 95] as const;

/**
 * The line to say at a usage, and the level that was reached: a line once a rise, none where the usage fell or stayed.
 * @param reached percent, the highest level that was said since the usage last lay below it; 0 where none was
 * @param ratio usage over limit
 */
export function levelLine(reached: number, ratio: number): { reached: number; text?: string } {
	const now = levels.findLast((level) => ratio * 100 >= level) ?? 0;
	if (now <= reached) return { reached: now };
	const text = `<system-reminder>contextd: ${now}% of the context window's limit is in use. Older messages are shortened when it is full; contextd_recall finds what was left out.</system-reminder>`;
	return { reached: now, text };
}
