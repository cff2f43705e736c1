/** Where the keyboard's focus goes when a page is drawn again. */

/**
 * Returns the key that gets the focus: the same one if it still exists, otherwise the next remaining one after it,
 * otherwise the last remaining one before it. Null if none remains.
 */
export function nextFocusedKey(
	before: readonly string[],
	focused: string | null,
	after: readonly string[],
): string | null {
	if (focused === null) return null;
	const there = new Set(after);
	if (there.has(focused)) return focused;
	const place = before.indexOf(focused);
	if (place < 0) return null;
	return (
		before.slice(place + 1).find((key) => there.has(key)) ??
		before.slice(0, place).findLast((key) => there.has(key)) ??
		null
	);
}

/**
 * Returns the announcement for screen readers, which changes with each level and each tenth of the window, not every
 * percent.
 */
export function announcementKeyOf(percent: string, level: string): string {
	const tenth = Math.floor(Number.parseInt(percent.replace(/^\D+/, ''), 10) / 10);
	return `${level} ${tenth}`;
}
