/** UTF-16 units that a piece of a list should have: so many elements go into one as the one before it suggests. */
const pieceUnits = 256 * 1024;
/** Elements of a list that are written as one piece at most. */
const mostElements = 512;
/** Levels of a message in which long lists are looked for, the message itself being the first. */
const deepest = 5;

/** A value of about so many UTF-16 units of JSON text, or less, is one piece. */
const short = 32 * 1024;
/** What a member is taken to have beside its text: its name and signs. UTF-16 units. */
const ofMember = 16;

/** The JSON text of a value that is about one piece long or shorter; undefined of a longer one. Throws as `jsonPieces`. */
export function shortJson(value: unknown): string | undefined {
	return leftOf(short, value) >= 0 ? textOf(value) : undefined;
}

/**
 * The JSON text of a value as `JSON.stringify` gives it, in pieces: lists in slices of a moderate size, so that others
 * may work between them; a single text is one piece. Throws where the value, or a member of it, has no JSON form of its
 * own (a cycle, a bigint).
 */
export function* jsonPieces(value: unknown): Generator<string> {
	const text = shortJson(value);
	if (text === undefined) yield* piecesOf(value, 0);
	else yield text;
}

/** What is left of so many UTF-16 units behind the JSON text of a value, about; negative where that is longer. */
function leftOf(units: number, value: unknown): number {
	if (typeof value === 'string') return units - value.length;
	if (typeof value !== 'object' || value === null || units < 0) return units;
	let left = units;
	const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
	for (let index = 0; index < members.length && left >= 0; index++)
		left = leftOf(left - ofMember, members[index]);
	return left;
}

function* piecesOf(value: unknown, depth: number): Generator<string> {
	if (Array.isArray(value) && value.length > 0) yield* listPieces(value, depth);
	else if (isPlain(value) && holdsList(value, depth)) yield* objectPieces(value, depth);
	else yield textOf(value);
}

/** Whether a list stands among the members of an object or of what is in them. Anything else is one short text. */
function holdsList(value: object, depth: number): boolean {
	if (depth >= deepest) return false;
	return Object.values(value).some((member) =>
		Array.isArray(member) ? member.length > 0 : isPlain(member) && holdsList(member, depth + 1),
	);
}

function* listPieces(list: readonly unknown[], depth: number): Generator<string> {
	// Of a long list no element is as wide as many of them together.
	const wide = list.length <= mostElements ? list.map(isWide) : [];
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
		else if (2 * text.length <= pieceUnits) count = Math.min(mostElements, 2 * count);
	}
	yield ']';
}

/** Whether a value has a long list among its members. */
function isWide(value: unknown): boolean {
	if (!isPlain(value)) return false;
	return Object.values(value).some((member) => Array.isArray(member) && member.length > mostElements);
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
