/** Adds one entry to a JSON text that may have comments, and removes it again; everything else keeps its bytes. */

import { type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser';

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

/** Returns the property with a name; the last one if several have it. */
function findProperty({ children = [] }: Node, name: string): Node | undefined {
	return children.findLast(({ children: [key] = [] }) => key?.value === name);
}

function getPropertyValue(property: Node | undefined): Node | undefined {
	return property?.children?.[1];
}

/**
 * Returns the value of an entry; undefined if there is none.
 * @throws SyntaxError if the text or the group is not a JSON object
 */
export function readEntry(text: string, [group, name]: EntryPath): unknown {
	if (text.trim() === '') return undefined;
	const entries = getPropertyValue(findProperty(parseRootObject(text), group));
	if (entries === undefined) return undefined;
	if (entries.type !== 'object') throw new SyntaxError(`has "${group}" that is not an object`);
	const entry = getPropertyValue(findProperty(entries, name));
	return entry && parse(text.slice(entry.offset, entry.offset + entry.length));
}

/** Returns the text with a new entry before all others, so that every comment stays next to what it describes. */
export function addEntry(text: string, [group, name]: EntryPath, value: object): string {
	if (text.trim() === '') return `${JSON.stringify({ [group]: { [name]: value } }, null, 2)}\n`;
	const root = parseRootObject(text);
	const entries = getPropertyValue(findProperty(root, group));
	return entries === undefined
		? insertFirst(text, root, { key: group, value: { [name]: value }, depth: 1 })
		: insertFirst(text, entries, { key: name, value, depth: 2 });
}

interface NewProperty {
	key: string;
	value: object;
	/** Depth of the property's indentation. */
	depth: number;
}

function insertFirst(
	text: string,
	{ offset, children = [] }: Node,
	{ key, value, depth }: NewProperty,
): string {
	const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
	const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
	const indent = (levels: number): string => lineEnd + unit.repeat(levels);
	const json = JSON.stringify(value, null, unit).replaceAll('\n', indent(depth));
	const property = `${indent(depth)}${JSON.stringify(key)}: ${json}`;
	const [before, after] = [text.slice(0, offset + 1), text.slice(offset + 1)];
	if (children.length > 0) return `${before}${property},${after}`;
	return `${before}${property}${/^\s*\}/.test(after) ? indent(depth - 1) + after.trimStart() : after}`;
}

/**
 * Returns the text without an entry, or the same text if there is none.
 * @param isGroupOurs whether to remove the entry's group, too, if it is then empty
 */
export function removeEntry(text: string, [group, name]: EntryPath, isGroupOurs: boolean): string {
	if (readEntry(text, [group, name]) === undefined) return text;
	const root = parseRootObject(text);
	const entries = getPropertyValue(findProperty(root, group));
	if (entries === undefined) return text;
	return isGroupOurs && entries.children?.length === 1
		? removeProperty(text, root, group)
		: removeProperty(text, entries, name);
}

function removeProperty(text: string, parent: Node, name: string): string {
	const property = findProperty(parent, name);
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
	const kept = separator.trimEnd().endsWith(',')
		? separator.trimEnd().slice(0, -1)
		: separator.replace(/^\s*,/, '');
	return text.slice(0, previousEnd) + kept + rest;
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
