/** Decides which element gets the keyboard focus, and what is announced, when a page is drawn again. */

/**
 * Returns the key of the element that gets the focus: the element that had it, if it still exists, otherwise the next
 * remaining element after it, otherwise the last remaining element before it. Null if no element remains.
 */
export function chooseFocusedKey(
	keysBefore: readonly string[],
	focusedKey: string | null,
	keysNow: readonly string[],
): string | null {
	if (focusedKey === null) return null;
	const remainingKeys = new Set(keysNow);
	if (remainingKeys.has(focusedKey)) return focusedKey;
	const index = keysBefore.indexOf(focusedKey);
	if (index < 0) return null;
	return (
		keysBefore.slice(index + 1).find((key) => remainingKeys.has(key)) ??
		keysBefore.slice(0, index).findLast((key) => remainingKeys.has(key)) ??
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
