/** Returns a document in which all lines differ. */
export function document(no: number, length: number): string {
	let text = '';
	for (let line = 1; text.length < length; line++) {
		const items = (no * 7919 + line * 104_729) % 9973;
		text += `${line}. The queue of document ${no} holds ${items} items, and drops those that nobody wants.\n`;
	}
	return text.slice(0, length);
}
