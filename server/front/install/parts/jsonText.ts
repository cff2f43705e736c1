/**
 * Changing one member of a JSON text by the fewest characters, so that all that people wrote stays as they wrote it.
 * Offsets are UTF-16 units.
 */

/** The names that lead to a member, from the outermost object inwards. */
export type MemberPath = readonly [string, ...string[]];

interface Member {
	name: string;
	/** Where its name begins. */
	start: number;
	value: Span;
}

interface Span {
	start: number;
	/** Behind its last character. */
	end: number;
}

/**
 * The text with a member set to a value; objects on the way that are missing are made. Fails with a SyntaxError where
 * the text is no JSON, and with a TypeError where something on the way is no object.
 */
export function withMember(text: string, path: MemberPath, value: unknown): string {
	const [name, ...rest] = path;
	return setIn(text, rootOf(text), name, rest, value, 1);
}

/**
 * The text without a member; the same text where there is none. Fails with a SyntaxError where the text is no JSON.
 */
export function withoutMember(text: string, path: MemberPath): string {
	let span = rootOf(text);
	for (const name of path.slice(0, -1)) {
		const found = memberOf(text, span, name);
		if (found === undefined) return text;
		span = found.value;
	}
	const members = membersOf(text, span);
	const index = members.findLastIndex(({ name }) => name === path.at(-1));
	const member = members[index];
	if (member === undefined) return text;
	const next = members[index + 1];
	if (next !== undefined) return text.slice(0, member.start) + text.slice(next.start);
	const before = members[index - 1];
	const from = before?.value.end ?? span.start + 1;
	const to = before === undefined ? span.end - 1 : member.value.end;
	return text.slice(0, from) + text.slice(to);
}

function rootOf(text: string): Span {
	JSON.parse(text);
	return valueAt(text, skipBlank(text, 0));
}

function memberOf(text: string, object: Span, name: string): Member | undefined {
	return membersOf(text, object).findLast((member) => member.name === name);
}

function setIn(
	text: string,
	object: Span,
	name: string,
	rest: readonly string[],
	value: unknown,
	depth: number,
): string {
	const members = membersOf(text, object);
	const found = members.findLast((member) => member.name === name);
	const [inner, ...further] = rest;
	if (found !== undefined) {
		if (inner !== undefined) return setIn(text, found.value, inner, further, value, depth + 1);
		const written = indented(value, indentOf(text), depth, text);
		return text.slice(0, found.value.start) + written + text.slice(found.value.end);
	}
	const nested = rest.reduceRight((content: unknown, key) => ({ [key]: content }), value);
	const unit = indentOf(text);
	const last = members.at(-1);
	const isFlat = last !== undefined && !text.slice(object.start, last.value.end).includes('\n');
	const line = isFlat ? ' ' : `${newlineOf(text)}${unit.repeat(depth)}`;
	const member = `${JSON.stringify(name)}: ${indented(nested, unit, depth, text)}`;
	if (last !== undefined) {
		return `${text.slice(0, last.value.end)},${line}${member}${text.slice(last.value.end)}`;
	}
	const close = `${newlineOf(text)}${unit.repeat(depth - 1)}`;
	return `${text.slice(0, object.start)}{${line}${member}${close}}${text.slice(object.end)}`;
}

/** A value as JSON, whose further lines stand as deep as its first one. */
function indented(value: unknown, unit: string, depth: number, text: string): string {
	return JSON.stringify(value, null, unit).replaceAll('\n', `${newlineOf(text)}${unit.repeat(depth)}`);
}

function newlineOf(text: string): string {
	return text.includes('\r\n') ? '\r\n' : '\n';
}

/** What the first line that is indented begins with; two blanks where none is. */
function indentOf(text: string): string {
	return /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}

/** The members of an object, in their order; fails where it is none. */
function membersOf(text: string, { start }: Span): Member[] {
	if (text.charAt(start) !== '{') throw new TypeError('expected an object');
	const members: Member[] = [];
	let index = skipBlank(text, start + 1);
	while (text.charAt(index) !== '}') {
		const name = valueAt(text, index);
		// Behind the colon.
		const value = valueAt(text, skipBlank(text, skipBlank(text, name.end) + 1));
		members.push({ name: JSON.parse(text.slice(name.start, name.end)), start: index, value });
		index = skipBlank(text, value.end);
		if (text.charAt(index) === ',') index = skipBlank(text, index + 1);
	}
	return members;
}

/** The value that begins there; the text is known to be JSON. */
function valueAt(text: string, start: number): Span {
	const first = text.charAt(start);
	if (first === '"') return { start, end: stringEnd(text, start) };
	if (first !== '{' && first !== '[') {
		const length = text.slice(start).search(/[\s,\]}]|$/);
		return { start, end: start + length };
	}
	let depth = 0;
	for (let index = start; index < text.length; index++) {
		const sign = text.charAt(index);
		if (sign === '"') index = stringEnd(text, index) - 1;
		else if (sign === '{' || sign === '[') depth++;
		else if ((sign === '}' || sign === ']') && --depth === 0) return { start, end: index + 1 };
	}
	throw new SyntaxError('unexpected end of JSON');
}

function stringEnd(text: string, start: number): number {
	let index = start + 1;
	while (text.charAt(index) !== '"') index += text.charAt(index) === '\\' ? 2 : 1;
	return index + 1;
}

function skipBlank(text: string, start: number): number {
	let index = start;
	while (index < text.length && ' \t\r\n'.includes(text.charAt(index))) index++;
	return index;
}
