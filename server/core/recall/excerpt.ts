/** Returns an excerpt of a text, with an ellipsis at each truncated end. `start` and `length` are UTF-16 units. */
export function cutExcerpt(text: string, start: number, length: number): string {
	const end = start + length;
	const cut = text.slice(start, end).trim();
	return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`.toWellFormed();
}
