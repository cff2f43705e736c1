/** Changes one member of a JSON text with minimal edits, so that the rest keeps its formatting. */

import { applyEdits, findNodeAtLocation, modify, type Node, parseTree } from 'jsonc-parser';

/** The names that lead to a member, from the outermost object inwards. */
export type MemberPath = readonly [string, ...string[]];

/**
 * Returns the text with a member set to a value; a new one is added at the end. Creates missing objects on the path.
 *
 * @throws SyntaxError if the text is not JSON
 * @throws TypeError if something on the path is not an object
 */
export function withMember(text: string, path: MemberPath, value: unknown): string {
	let node = rootOf(text);
	let depth = 0;
	for (let inner = memberOf(node, path[0]); inner; inner = memberOf(node, path[depth])) {
		node = inner;
		depth++;
	}
	const before = text.slice(0, node.offset);
	const behind = text.slice(node.offset + node.length);
	const [name, ...rest] = path.slice(depth);
	if (name === undefined) return before + indentedJson(value, depth, text) + behind;
	if (node.type !== 'object') throw new TypeError('expected an object');
	const nested = rest.reduceRight((content: unknown, key) => ({ [key]: content }), value);
	const member = `${JSON.stringify(name)}: ${indentedJson(nested, depth + 1, text)}`;
	const last = node.children?.at(-1);
	if (last === undefined)
		return `${before}{${lineEnd(depth + 1, text)}${member}${lineEnd(depth, text)}}${behind}`;
	const end = last.offset + last.length;
	const separator = text.slice(node.offset, end).includes('\n') ? lineEnd(depth + 1, text) : ' ';
	return `${text.slice(0, end)},${separator}${member}${text.slice(end)}`;
}

/**
 * Returns the text without a member; the same text if there is none.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function withoutMember(text: string, path: MemberPath): string {
	if (!findNodeAtLocation(rootOf(text), [...path])) return text;
	return applyEdits(text, modify(text, [...path], undefined, {}));
}

/** The value of a member; the last one if several have the name. */
function memberOf({ type, children = [] }: Node, name: string | undefined): Node | undefined {
	if (type !== 'object') return undefined;
	return children.findLast(({ children: [key] = [] }) => key?.value === name)?.children?.[1];
}

function rootOf(text: string): Node {
	JSON.parse(text);
	const root = parseTree(text);
	if (root === undefined) throw new SyntaxError('expected JSON');
	return root;
}

/** A value as JSON, with its further lines indented like its first one. */
function indentedJson(value: unknown, depth: number, text: string): string {
	return JSON.stringify(value, null, indentOf(text)).replaceAll('\n', lineEnd(depth, text));
}

/** A line end as in the text, with indentation for a depth. */
function lineEnd(depth: number, text: string): string {
	return (text.includes('\r\n') ? '\r\n' : '\n') + indentOf(text).repeat(depth);
}

/** The indentation of the first line that has one; two spaces if none has. */
function indentOf(text: string): string {
	return /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
}

/**
 * Returns the lines that differ between two JSON texts, with `+ ` or `- ` in front.
 *
 * A comma at the end of a line makes no difference. The result is exact; for lines that move, it is not the shortest.
 */
export function changedLines(before: string, after: string): string[] {
	const [old = [], now = []] = [before, after].map((text) =>
		text.split('\n').filter((line) => line.trim() !== ''),
	);
	const lines: string[] = [];
	let next = 0;
	for (const line of old) {
		const found = now.findIndex((one, index) => index >= next && withoutComma(one) === withoutComma(line));
		if (found < 0) lines.push(`- ${line}`);
		else {
			lines.push(...now.slice(next, found).map((one) => `+ ${one}`));
			next = found + 1;
		}
	}
	return [...lines, ...now.slice(next).map((line) => `+ ${line}`)];
}

function withoutComma(line: string): string {
	return line.trimEnd().replace(/,$/, '');
}
