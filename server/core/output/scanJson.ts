/** A value of a JSON text, with its position in the text. */
export type JsonNode = JsonScalar | JsonContainer;

/** A number, a literal or a string including its quotes. */
interface JsonScalar {
	kind: 'scalar';
	start: number;
	end: number;
}

interface JsonContainer {
	kind: 'list' | 'record';
	/** The first items or members, up to `maxChildren`. */
	children: JsonChild[];
	/** The total number of items or members. */
	count: number;
}

interface JsonChild {
	/** The key of a member as written, including its quotes. */
	key?: string;
	value: JsonNode;
}

/** Maximum children that are stored for each value; further children are only counted. */
const maxChildren = 200;
/** Maximum values that are stored in total. */
const maxValues = 100_000;
const maxDepth = 10_000;

interface OpenContainer {
	/** The value; absent if it is only counted. */
	node?: JsonContainer;
	closing: '}' | ']';
	key?: string;
}

interface JsonScan {
	text: string;
	stack: OpenContainer[];
	root?: JsonNode;
	storedValueCount: number;
}

/**
 * Returns the structure of a JSON text, found in one pass without recursion. Checks the structure, not
 * every escape and digit. Undefined if the text is not a JSON list or object, or nested more than 10,000 deep.
 */
export function scanJson(text: string): JsonNode | undefined {
	const scan: JsonScan = { text, stack: [], storedValueCount: 0 };
	let position = skipSpace(text, 0);
	while (position !== -1) {
		const isOpening = text[position] === '{' || text[position] === '[';
		const end = isOpening ? position + 1 : findScalarEnd(text, position);
		if (end === -1 || scan.stack.length > maxDepth || (!isOpening && scan.stack.length === 0))
			return undefined;
		if (isOpening) openContainer(scan, text[position] === '{' ? 'record' : 'list');
		else addValue(scan, { kind: 'scalar', start: position, end });
		position = skipSpace(text, end);
		if (isOpening && text[position] !== scan.stack.at(-1)?.closing) {
			position = findValueStart(scan, position);
			continue;
		}
		while (scan.stack.length > 0 && text[position] === scan.stack.at(-1)?.closing) {
			scan.stack.pop();
			position = skipSpace(text, position + 1);
		}
		if (scan.stack.length === 0) return position === text.length ? scan.root : undefined;
		position = text[position] === ',' ? findValueStart(scan, skipSpace(text, position + 1)) : -1;
	}
	return undefined;
}

function openContainer(scan: JsonScan, kind: 'record' | 'list'): void {
	const node: JsonContainer = { kind, children: [], count: 0 };
	const isStored = addValue(scan, node);
	scan.stack.push({ node: isStored ? node : undefined, closing: kind === 'record' ? '}' : ']' });
}

/** Adds a value to its parent. Returns false if the value was only counted. */
function addValue(scan: JsonScan, value: JsonNode): boolean {
	const frame = scan.stack.at(-1);
	if (frame === undefined) {
		scan.root = value;
		return true;
	}
	if (frame.node === undefined) return false;
	frame.node.count += 1;
	if (frame.node.count > maxChildren || scan.storedValueCount >= maxValues) return false;
	frame.node.children.push({ key: frame.key, value });
	scan.storedValueCount += 1;
	return true;
}

/** Returns the start of the next value, after its key if it has one; -1 if the key is invalid. */
function findValueStart(scan: JsonScan, position: number): number {
	const frame = scan.stack.at(-1);
	if (frame?.closing !== '}') return position;
	const end = scan.text[position] === '"' ? findStringEnd(scan.text, position) : -1;
	if (end === -1) return -1;
	if (frame.node !== undefined) frame.key = scan.text.slice(position, end);
	const colon = skipSpace(scan.text, end);
	return scan.text[colon] === ':' ? skipSpace(scan.text, colon + 1) : -1;
}

function findScalarEnd(text: string, start: number): number {
	if (text[start] === '"') return findStringEnd(text, start);
	let end = start;
	while (end < text.length && isWordUnit(text.charCodeAt(end))) end += 1;
	return end > start ? end : -1;
}

/** Whether a unit may be part of a number, `true`, `false` or `null`. */
function isWordUnit(unit: number): boolean {
	const isDigit = unit >= 0x30 && unit <= 0x39;
	const isLetter = (unit >= 0x61 && unit <= 0x7a) || unit === 0x45;
	return isDigit || isLetter || unit === 0x2b || unit === 0x2d || unit === 0x2e;
}

function findStringEnd(text: string, start: number): number {
	let quote = text.indexOf('"', start + 1);
	while (quote !== -1) {
		let slashes = 0;
		while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes += 1;
		if (slashes % 2 === 0) return quote + 1;
		quote = text.indexOf('"', quote + 1);
	}
	return -1;
}

function skipSpace(text: string, start: number): number {
	let position = start;
	while (position < text.length && isSpace(text.charCodeAt(position))) position += 1;
	return position;
}

function isSpace(unit: number): boolean {
	return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}
