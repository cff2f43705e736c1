/** UTF-16 units that a piece of a list should have: so many elements go into one as the one before it suggests. */
const pieceUnits = 256 * 1024;
/** Elements of a list that are written as one piece at most. */
const mostElements = 512;
/** Levels of a message in which long lists are looked for: the message, its result or params, and their members. */
const deepest = 3;

/**
 * The JSON text of a value as `JSON.stringify` gives it, in pieces: lists in slices of a moderate size, so that others
 * may work between them; a single text is one piece. Throws where the value, or a member of it, has no JSON form of its own (a cycle, a bigint).
 */
export function* jsonPieces(value: unknown, depth = 0): Generator<string> {
	if (Array.isArray(value) && value.length > 1) yield* listPieces(value);
	else if (depth < deepest && isPlain(value)) yield* objectPieces(value, depth);
	else yield textOf(value);
}

function* listPieces(list: readonly unknown[]): Generator<string> {
	let count = 1;
	for (let index = 0; index < list.length; ) {
		const text = textOf(list.slice(index, index + count));
		yield `${index === 0 ? '[' : ','}${text.slice(1, -1)}`;
		index += count;
		if (text.length > pieceUnits) count = Math.max(1, Math.floor((count * pieceUnits) / text.length));
		else if (2 * text.length <= pieceUnits) count = Math.min(mostElements, 2 * count);
	}
	yield ']';
}

function* objectPieces(value: Readonly<Record<string, unknown>>, depth: number): Generator<string> {
	let before = '{';
	for (const [key, member] of Object.entries(value)) {
		if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
		let text = `${before}${JSON.stringify(key)}:`;
		for (const piece of jsonPieces(member, depth + 1)) {
			yield text + piece;
			text = '';
		}
		before = ',';
	}
	yield before === '{' ? '{}' : '}';
}

function isPlain(value: unknown): value is Record<string, unknown> {
	if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
	const prototype = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

function textOf(value: unknown): string {
	const text = JSON.stringify(value);
	if (text === undefined) throw new TypeError('it has no JSON form');
	return text;
}
