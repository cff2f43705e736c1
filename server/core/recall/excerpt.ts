/** Cuts a part out of a longer text, with an ellipsis wherever text is left out. */
export function cutExcerpt(text: string, start: number, length: number): string {
	const end = start + length;
	const cut = text.slice(start, end).trim();
	return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`.toWellFormed();
}
