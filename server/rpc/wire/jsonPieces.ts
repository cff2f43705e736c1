/** Target size of a piece of a list, which sets the number of elements in the next piece. UTF-16 units. */
const pieceUnits = 256 * 1024;
/** Maximum elements of a list per piece. */
const maxElements = 512;
/** Levels of a message that are searched for long lists; the message itself is the first. */
const maxSearchedLevels = 5;

/** Maximum estimated JSON length of a value that is written as one piece. UTF-16 units. */
const maxShortUnits = 32 * 1024;
/** Estimated length of a member besides its value: name and punctuation. UTF-16 units. */
const memberUnits = 16;

/** The JSON of a value of about one piece or less; undefined for a longer one. Throws like `jsonPieces`. */
export function shortJson(value: unknown): string | undefined {
	return remainingUnits(maxShortUnits, value) >= 0 ? textOf(value) : undefined;
}

/**
 * Yields the JSON of a value in pieces of moderate size, so that other tasks can run between them.
 *
 * The pieces together equal `JSON.stringify(value)`. Lists are split; a single text is one piece. Throws if the value or a
 * member has no JSON form (a cycle, a bigint).
 */
export function* jsonPieces(value: unknown): Generator<string> {
	const text = shortJson(value);
	if (text === undefined) yield* piecesOf(value, 0);
	else yield text;
}

/** Subtracts the estimated length of a value's JSON from `units` (UTF-16 units); may be negative. */
function remainingUnits(units: number, value: unknown): number {
	if (typeof value === 'string') return units - value.length;
	if (typeof value !== 'object' || value === null || units < 0) return units;
	let left = units;
	const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
	for (let index = 0; index < members.length && left >= 0; index++)
		left = remainingUnits(left - memberUnits, members[index]);
	return left;
}

function* piecesOf(value: unknown, depth: number): Generator<string> {
	if (Array.isArray(value) && value.length > 0) yield* listPieces(value, depth);
	else if (isPlain(value) && holdsList(value, depth)) yield* objectPieces(value, depth);
	else yield textOf(value);
}

/** Whether an object contains a non-empty list within the searched levels; otherwise its JSON is short. */
function holdsList(value: object, depth: number): boolean {
	if (depth >= maxSearchedLevels) return false;
	return Object.values(value).some((member) =>
		Array.isArray(member) ? member.length > 0 : isPlain(member) && holdsList(member, depth + 1),
	);
}

function* listPieces(list: readonly unknown[], depth: number): Generator<string> {
	// A long list is split only between its elements, which are assumed to be short.
	const wide = list.length <= maxElements ? list.map(isWide) : [];
	let count = 1;
	for (let index = 0; index < list.length; ) {
		const before = index === 0 ? '[' : ',';
		if (wide[index]) {
			yield before;
			yield* piecesOf(list[index], depth + 1);
			index++;
			continue;
		}
		const next = wide.indexOf(true, index);
		const end = Math.min(index + count, next < 0 ? list.length : next);
		const text = textOf(list.slice(index, end));
		yield before + text.slice(1, -1);
		index = end;
		if (text.length > pieceUnits) count = Math.max(1, Math.floor((count * pieceUnits) / text.length));
		else if (2 * text.length <= pieceUnits) count = Math.min(maxElements, 2 * count);
	}
	yield ']';
}

/** Whether a value has a long list among its members. */
function isWide(value: unknown): boolean {
	if (!isPlain(value)) return false;
	return Object.values(value).some((member) => Array.isArray(member) && member.length > maxElements);
}

function* objectPieces(value: Readonly<Record<string, unknown>>, depth: number): Generator<string> {
	let before = '{';
	for (const [key, member] of Object.entries(value)) {
		if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
		let text = `${before}${JSON.stringify(key)}:`;
		for (const piece of piecesOf(member, depth + 1)) {
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
