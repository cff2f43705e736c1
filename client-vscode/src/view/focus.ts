/** Decides which element gets the keyboard focus, and what is announced, when a page is drawn again. */

/**
 * Returns the key of the element that gets the focus: the element that had it, if it still exists, otherwise the next
 * remaining element after it, otherwise the last remaining element before it. Null if no element remains.
 */
export function chooseFocusedKey(
	before: readonly string[],
	focused: string | null,
	after: readonly string[],
): string | null {
	if (focused === null) return null;
	const keysAfter = new Set(after);
	if (keysAfter.has(focused)) return focused;
	const index = before.indexOf(focused);
	if (index < 0) return null;
	return (
		before.slice(index + 1).find((key) => keysAfter.has(key)) ??
		before.slice(0, index).findLast((key) => keysAfter.has(key)) ??
		null
	);
}

/**
 * Returns a key that changes if the usage must be announced again to screen readers: with each level and each tenth of
 * the window, but not with every percent.
 */
export function createAnnouncementKey(percent: string, level: string): string {
	const tenth = Math.floor(Number.parseInt(percent.replace(/^\D+/, ''), 10) / 10);
	return `${level} ${tenth}`;
}
