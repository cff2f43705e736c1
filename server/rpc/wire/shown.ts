const shownCharacters = 60;

/** A text truncated to at most 60 UTF-16 units and an ellipsis. */
export function shortenValue(text: string): string {
	return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

/** A received value as error messages show it: strings quoted and shortened, structures by their type. */
export function describeReceived(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (Array.isArray(value)) return 'array';
	if (typeof value === 'object' && value !== null) return 'object';
	return typeof value === 'string' ? JSON.stringify(shortenValue(value)) : String(value);
}
