/** Changes one member of a JSON text with minimal edits, so that the rest keeps its formatting. */

import { applyEdits, findNodeAtLocation, modify, type Node, parseTree } from 'jsonc-parser';

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

/** Formats a value as JSON, with lines after the first indented for its depth in the text. */
function formatIndentedJson(value: unknown, depth: number, text: string): string {
	return JSON.stringify(value, null, detectIndent(text)).replaceAll('\n', createLineEnd(depth, text));
}

/** Returns a line end as in the text, with the indentation of a depth. */
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
	const [old = [], now = []] = [before, after].map((text) =>
		text.split('\n').filter((line) => line.trim() !== ''),
	);
	const lines: string[] = [];
	let next = 0;
	for (const line of old) {
		const found = now.findIndex((one, index) => index >= next && removeComma(one) === removeComma(line));
		if (found < 0) lines.push(`- ${line}`);
		else {
			lines.push(...now.slice(next, found).map((one) => `+ ${one}`));
			next = found + 1;
		}
	}
	return [...lines, ...now.slice(next).map((line) => `+ ${line}`)];
}

function removeComma(line: string): string {
	return line.trimEnd().replace(/,$/, '');
}
