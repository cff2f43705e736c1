/** Changes one member of a JSON text with minimal edits, so that the rest keeps its formatting and comments. */

import {
	applyEdits,
	findNodeAtLocation,
	modify,
	type Node,
	type ParseError,
	parse,
	parseTree,
	printParseErrorCode,
} from 'jsonc-parser';

/** The names that lead to a member, from the outermost object inwards. */
export type MemberPath = readonly [string, ...string[]];

/**
 * Returns a JSON text with a member set to a value; a new member is added at the end. Creates missing objects on the
 * path.
 *
 * @throws SyntaxError if the text is not JSON
 * @throws TypeError if something on the path is not an object
 */
export function setMember(text: string, path: MemberPath, value: unknown): string {
	let node = parseRoot(text);
	let depth = 0;
	for (let inner = findMember(node, path[0]); inner; inner = findMember(node, path[depth])) {
		node = inner;
		depth++;
	}
	const before = text.slice(0, node.offset);
	const behind = text.slice(node.offset + node.length);
	const [name, ...rest] = path.slice(depth);
	if (name === undefined) return before + formatIndentedJson(value, depth, text) + behind;
	if (node.type !== 'object') throw new TypeError('expected an object');
	const nested = rest.reduceRight((content: unknown, key) => ({ [key]: content }), value);
	const member = `${JSON.stringify(name)}: ${formatIndentedJson(nested, depth + 1, text)}`;
	const last = node.children?.at(-1);
	if (last === undefined)
		return `${before}{${createLineEnd(depth + 1, text)}${member}${createLineEnd(depth, text)}}${behind}`;
	const end = last.offset + last.length;
	const separator = text.slice(node.offset, end).includes('\n') ? createLineEnd(depth + 1, text) : ' ';
	return `${text.slice(0, end)},${separator}${member}${text.slice(end)}`;
}

/**
 * Returns a JSON text without a member, or the same text if the member is missing.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function removeMember(text: string, path: MemberPath): string {
	if (!findNodeAtLocation(parseRoot(text), [...path])) return text;
	return applyEdits(text, modify(text, [...path], undefined, {}));
}

/** Returns the value of a member; if several members have the name, that of the last one. */
function findMember({ type, children = [] }: Node, name: string | undefined): Node | undefined {
	if (type !== 'object') return undefined;
	return children.findLast(({ children: [key] = [] }) => key?.value === name)?.children?.[1];
}

function parseRoot(text: string): Node {
	JSON.parse(text);
	const root = parseTree(text);
	if (root === undefined) throw new SyntaxError('expected JSON');
	return root;
}

/** Formats a value as JSON. Its lines after the first are indented for a value at this depth of the text. */
function formatIndentedJson(value: unknown, depth: number, text: string): string {
	return JSON.stringify(value, null, detectIndent(text)).replaceAll('\n', createLineEnd(depth, text));
}

/** Returns a line end of the text's kind, followed by the indentation for a depth. */
function createLineEnd(depth: number, text: string): string {
	return (text.includes('\r\n') ? '\r\n' : '\n') + detectIndent(text).repeat(depth);
}

/** Returns the indentation of the first indented line; two spaces if there is none. */
function detectIndent(text: string): string {
	return /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}

/**
 * Returns the lines that differ between two JSON texts, with `+ ` or `- ` in front.
 *
 * A comma at the end of a line makes no difference. The result is correct, but not the shortest if lines moved.
 */
export function listChangedLines(before: string, after: string): string[] {
	const [oldLines = [], newLines = []] = [before, after].map((text) =>
		text.split('\n').filter((line) => line.trim() !== ''),
	);
	const lines: string[] = [];
	let nextIndex = 0;
	for (const line of oldLines) {
		const match = newLines.findIndex(
			(one, index) => index >= nextIndex && removeComma(one) === removeComma(line),
		);
		if (match < 0) lines.push(`- ${line}`);
		else {
			lines.push(...newLines.slice(nextIndex, match).map((one) => `+ ${one}`));
			nextIndex = match + 1;
		}
	}
	return [...lines, ...newLines.slice(nextIndex).map((line) => `+ ${line}`)];
}

function removeComma(line: string): string {
	return line.trimEnd().replace(/,$/, '');
}

/** The name of a group at the top level, and of an entry in it. */
export type EntryPath = readonly [group: string, name: string];

/**
 * Parses the object at the top level of a text.
 * @throws SyntaxError if the text is not a JSON object; comments and commas at the end of lists are allowed
 */
function parseRootObject(text: string): Node {
	const errors: ParseError[] = [];
	const root = parseTree(text, errors, { allowTrailingComma: true });
	const [first] = errors;
	if (first !== undefined) {
		const line = text.slice(0, first.offset).split('\n').length;
		throw new SyntaxError(`is not valid JSON (line ${line}: ${printParseErrorCode(first.error)})`);
	}
	if (root?.type !== 'object') throw new SyntaxError('is not a JSON object');
	return root;
}

/**
 * Returns the value of an entry; undefined if there is none.
 * @throws SyntaxError if the text or the group is not a JSON object
 */
export function readEntry(text: string, [group, name]: EntryPath): unknown {
	if (text.trim() === '') return undefined;
	const entries = findMember(parseRootObject(text), group);
	if (entries === undefined) return undefined;
	if (entries.type !== 'object') throw new SyntaxError(`has "${group}" that is not an object`);
	const entry = findMember(entries, name);
	return entry && parse(text.slice(entry.offset, entry.offset + entry.length));
}

/** Returns the text with a new entry before all others, so that every comment stays next to what it describes. */
export function addEntry(text: string, [group, name]: EntryPath, value: object): string {
	if (text.trim() === '') return `${JSON.stringify({ [group]: { [name]: value } }, null, 2)}\n`;
	const root = parseRootObject(text);
	const entries = findMember(root, group);
	return entries === undefined
		? insertFirst(text, root, { key: group, value: { [name]: value }, depth: 1 })
		: insertFirst(text, entries, { key: name, value, depth: 2 });
}

interface Property {
	key: string;
	value: object;
	/** Depth of the property's indentation. */
	depth: number;
}

function insertFirst(text: string, { offset, children = [] }: Node, { key, value, depth }: Property): string {
	const property = `${createLineEnd(depth, text)}${JSON.stringify(key)}: ${formatIndentedJson(value, depth, text)}`;
	const [before, after] = [text.slice(0, offset + 1), text.slice(offset + 1)];
	if (children.length > 0) return `${before}${property},${after}`;
	return `${before}${property}${/^\s*\}/.test(after) ? createLineEnd(depth - 1, text) + after.trimStart() : after}`;
}

/**
 * Returns the text without an entry, or the same text if there is none.
 * @param isGroupOurs whether to remove the entry's group, too, if it is then empty
 */
export function removeEntry(text: string, [group, name]: EntryPath, isGroupOurs: boolean): string {
	if (readEntry(text, [group, name]) === undefined) return text;
	const root = parseRootObject(text);
	const entries = findMember(root, group);
	if (entries === undefined) return text;
	return isGroupOurs && entries.children?.length === 1
		? removeProperty(text, root, group)
		: removeProperty(text, entries, name);
}

function removeProperty(text: string, parent: Node, name: string): string {
	const property = findMember(parent, name)?.parent;
	if (property === undefined) return text;
	const { children = [] } = parent;
	const previous = children[children.indexOf(property) - 1];
	const end = property.offset + property.length;
	const comma = /^\s*,/.exec(text.slice(end, end + 200))?.[0].length;
	const rest = text.slice(end + (comma ?? 0));
	const previousEnd = previous === undefined ? parent.offset + 1 : previous.offset + previous.length;
	const from = property.offset - measureRemovableSpace(text.slice(previousEnd, property.offset), rest);
	if (comma !== undefined || previous === undefined) return text.slice(0, from) + rest;
	// The last property was removed, so the comma before it must be removed too.
	const separator = text.slice(previousEnd, from);
	const remainingSpace = separator.trimEnd().endsWith(',')
		? separator.trimEnd().slice(0, -1)
		: separator.replace(/^\s*,/, '');
	return text.slice(0, previousEnd) + remainingSpace + rest;
}

/**
 * Returns the length of the white space to remove before a property; 0 if the rest would become part of a line
 * comment.
 * @param gap what is between the property and its predecessor: commas, comments and white space
 * @param rest what follows the property
 */
function measureRemovableSpace(gap: string, rest: string): number {
	const before = gap.trimEnd();
	const line = before.slice(before.lastIndexOf('\n') + 1);
	return line.includes('//') && !/^[ \t]*\r?\n/.test(rest) ? 0 : gap.length - before.length;
}
