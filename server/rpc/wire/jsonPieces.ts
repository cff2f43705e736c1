/** Target length of one piece of a list, in UTF-16 units. */
const pieceUnits = 256 * 1024;
/** Maximum elements of a list in one piece. */
const maxPieceElements = 512;
/** Levels of a message that are searched for long lists; level 0 is the message itself. */
const maxSearchedLevels = 5;

/** Maximum estimated JSON length, in UTF-16 units, of a value that is written as one piece. */
const maxShortUnits = 32 * 1024;
/** Estimated length of a member's name and punctuation, in UTF-16 units. */
const memberOverheadUnits = 16;

/**
 * Returns the JSON of a value of up to about 32 K UTF-16 units; undefined for a longer value. Throws like
 * `stringifyInPieces`.
 */
export function stringifyShort(value: unknown): string | undefined {
	return subtractUnits(maxShortUnits, value) >= 0 ? stringify(value) : undefined;
}

/**
 * Yields the JSON of a value in pieces of moderate size, so that other tasks can run between them.
 *
 * The pieces together equal `JSON.stringify(value)`. Lists are split; a single text is one piece. Throws if the value or a
 * member has no JSON form (a cycle, a bigint).
 */
export function* stringifyInPieces(value: unknown): Generator<string> {
	const text = stringifyShort(value);
	if (text === undefined) yield* splitValue(value, 0);
	else yield text;
}

/** Returns `units` less the estimated length of a value's JSON, in UTF-16 units; may be negative. */
function subtractUnits(units: number, value: unknown): number {
	if (typeof value === 'string') return units - value.length;
	if (typeof value !== 'object' || value === null || units < 0) return units;
	let remaining = units;
	const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
	for (let index = 0; index < members.length && remaining >= 0; index++)
		remaining = subtractUnits(remaining - memberOverheadUnits, members[index]);
	return remaining;
}

function* splitValue(value: unknown, depth: number): Generator<string> {
	if (Array.isArray(value) && value.length > 0) yield* splitList(value, depth);
	else if (isPlainObject(value) && containsList(value, depth)) yield* splitObject(value, depth);
	else yield stringify(value);
}

/**
 * Returns whether an object contains a non-empty list within the searched levels. Without one, its JSON is assumed to
 * be short.
 */
function containsList(value: object, depth: number): boolean {
	if (depth >= maxSearchedLevels) return false;
	return Object.values(value).some((member) =>
		Array.isArray(member) ? member.length > 0 : isPlainObject(member) && containsList(member, depth + 1),
	);
}

function* splitList(list: readonly unknown[], depth: number): Generator<string> {
	// A long list is split only between its elements, which are assumed to be short.
	const areLong = list.length <= maxPieceElements ? list.map(hasLongMember) : [];
	let count = 1;
	for (let index = 0; index < list.length; ) {
		const separator = index === 0 ? '[' : ',';
		if (areLong[index]) {
			yield separator;
			yield* splitValue(list[index], depth + 1);
			index++;
			continue;
		}
		const nextLongIndex = areLong.indexOf(true, index);
		const end = Math.min(index + count, nextLongIndex < 0 ? list.length : nextLongIndex);
		const text = stringify(list.slice(index, end));
		yield separator + text.slice(1, -1);
		index = end;
		if (text.length > pieceUnits) count = Math.max(1, Math.floor((count * pieceUnits) / text.length));
		else if (2 * text.length <= pieceUnits) count = Math.min(maxPieceElements, 2 * count);
	}
	yield ']';
}

/** Returns whether a value has a long list among its members. */
function hasLongMember(value: unknown): boolean {
	if (!isPlainObject(value)) return false;
	return Object.values(value).some((member) => Array.isArray(member) && member.length > maxPieceElements);
}

function* splitObject(value: Readonly<Record<string, unknown>>, depth: number): Generator<string> {
	let separator = '{';
	for (const [key, member] of Object.entries(value)) {
		if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
		let text = `${separator}${JSON.stringify(key)}:`;
		for (const piece of splitValue(member, depth + 1)) {
			yield text + piece;
			text = '';
		}
		separator = ',';
	}
	yield separator === '{' ? '{}' : '}';
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
	if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
	const prototype = Object.getPrototypeOf(value);
	return prototype === Object.prototype || prototype === null;
}

function stringify(value: unknown): string {
	const text = JSON.stringify(value);
	if (text === undefined) throw new TypeError('it has no JSON form');
	return text;
}
