/** Where the keyboard's focus goes when a page is drawn anew. */

/**
 * The key that gets the focus: the same one where it is still there, else the next one of those that followed it and
 * stayed, else the last that stood before it. Null where none of them stayed.
 */
export function focusAfter(
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

/** What a screen reader is told of a change: each level and each tenth of the window once, not every percent. */
export function announcementOf(percent: string, state: string): string {
	const tenth = Math.floor(Number.parseInt(percent.replace(/^\D+/, ''), 10) / 10);
	return `${state} ${tenth}`;
}
