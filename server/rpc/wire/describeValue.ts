const maxShownCharacters = 60;

/** Returns a text truncated to 60 UTF-16 units and an ellipsis. */
export function shortenValue(text: string): string {
	return text.length > maxShownCharacters ? `${text.slice(0, maxShownCharacters)}…` : text;
}

/** Describes a received value for error messages: strings quoted and shortened, structures by their type. */
export function describeReceived(value: unknown): string {
	if (value === undefined) return 'nothing';
	if (Array.isArray(value)) return 'array';
	if (typeof value === 'object' && value !== null) return 'object';
	return typeof value === 'string' ? JSON.stringify(shortenValue(value)) : String(value);
}
