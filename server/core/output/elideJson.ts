import { isJson } from '../shape.ts';
import { type JsonNode, scanJson } from './scanJson.ts';
import { countLines, countUtf8Bytes } from './textSize.ts';
import {
	createTruncation,
	createTruncationNotice,
	type OutputEnds,
	type OutputLimits,
	type Truncation,
} from './truncation.ts';

/** How much of a document is shown. */
interface DetailLevel {
	/** Maximum UTF-16 units of a string. */
	maxTextUnits: number;
	/** Maximum children of a list or object. */
	maxChildren: number;
	maxDepth: number;
	/** Empty for one line; otherwise indented like the document. */
	indent: '' | '  ';
}

const detailLevels: readonly Omit<DetailLevel, 'indent'>[] = [
	{ maxTextUnits: 4000, maxChildren: 200, maxDepth: 64 },
	{ maxTextUnits: 1000, maxChildren: 100, maxDepth: 32 },
	{ maxTextUnits: 400, maxChildren: 50, maxDepth: 16 },
	{ maxTextUnits: 200, maxChildren: 20, maxDepth: 12 },
	{ maxTextUnits: 100, maxChildren: 10, maxDepth: 8 },
	{ maxTextUnits: 60, maxChildren: 5, maxDepth: 6 },
	{ maxTextUnits: 30, maxChildren: 3, maxDepth: 4 },
	{ maxTextUnits: 10, maxChildren: 2, maxDepth: 2 },
];

/**
 * Shortens a JSON list or object to the limits so that it remains JSON, with as much detail as fits. Long strings, lists
 * and objects end with the number of omitted parts; numbers keep all digits. The notice is the first item, or the member
 * `[truncated]`. Undefined if the output is not a JSON list or object, or if not even its outline fits.
 */
export function elideJson(output: string, ends: OutputEnds, limits: OutputLimits): Truncation | undefined {
	if (limits.maxLines < 1) return undefined;
	const root = scanJson(output);
	if (root === undefined || root.kind === 'scalar') return undefined;
	const indents = output.slice(0, 1000).includes('\n') ? (['  ', ''] as const) : ([''] as const);
	for (const detail of detailLevels) {
		for (const indent of indents) {
			const result = renderDetail({ output, root, ends }, { ...detail, indent }, limits);
			if (result !== undefined && isJson(result.content)) return result;
		}
	}
	return undefined;
}

interface JsonPage {
	/** The whole document. */
	output: string;
	texts: string[];
	/** UTF-8 bytes that may still be written. */
	remainingBytes: number;
	/** UTF-8 bytes of the document that were written. */
	keptBytes: number;
}

function renderDetail(
	{ output, root, ends }: { output: string; root: JsonNode; ends: OutputEnds },
	detail: DetailLevel,
	limits: OutputLimits,
): Truncation | undefined {
	const createNotice = (keptBytes: number) =>
		JSON.stringify(
			createTruncationNotice({ originalSize: ends.originalSize, keptBytes, savedPath: limits.savedPath }),
		);
	const noticeBytes = countUtf8Bytes(`"[truncated]": ${createNotice(limits.maxBytes)},\n${detail.indent}`);
	const page: JsonPage = { output, texts: [], remainingBytes: limits.maxBytes - noticeBytes, keptBytes: 0 };
	if (!writeNode(root, detail, 0, page)) return undefined;
	const [opening, ...rest] = page.texts;
	const space = detail.indent === '' ? '' : `\n${detail.indent}`;
	const member =
		root.kind === 'record' ? `"[truncated]": ${createNotice(page.keptBytes)}` : createNotice(page.keptBytes);
	const content = `${opening}${space}${member}${rest.length > 1 ? ',' : ''}${rest.join('')}`;
	if (countLines(content) > limits.maxLines) return undefined;
	return { ...createTruncation(ends, limits, content), keptBytes: page.keptBytes };
}

/** Writes a value. Returns false as soon as the page is full. */
function writeNode(node: JsonNode, detail: DetailLevel, depth: number, page: JsonPage): boolean {
	if (node.kind === 'scalar') return writeScalar(node, detail, page);
	const [opening, closing] = node.kind === 'record' ? '{}' : '[]';
	const name = node.kind === 'record' ? 'members' : 'items';
	if (depth >= detail.maxDepth && node.count > 0)
		return writeMarker(`"[… ${node.count} ${name} left out]"`, page);
	if (!writeText(opening!, page)) return false;
	const shownChildren = node.children.slice(0, detail.maxChildren);
	const space = detail.indent === '' ? '' : `\n${detail.indent.repeat(depth + 1)}`;
	for (const [index, child] of shownChildren.entries()) {
		const colon = detail.indent === '' ? ':' : ': ';
		const key = child.key === undefined ? '' : child.key + colon;
		if (!writeText(`${index > 0 ? ',' : ''}${space}${key}`, page)) return false;
		if (!writeNode(child.value, detail, depth + 1, page)) return false;
	}
	const omitted = node.count - shownChildren.length;
	const separator = shownChildren.length > 0 ? ',' : '';
	const note = `${omitted} more ${name} left out`;
	const word = node.kind === 'record' ? `"[…]": "${note}"` : `"[… ${note}]"`;
	if (omitted > 0 && !writeMarker(`${separator}${space}${word}`, page)) return false;
	const end = node.count > 0 && detail.indent !== '' ? `\n${detail.indent.repeat(depth)}` : '';
	return writeText(end + closing, page);
}

function writeScalar(node: { start: number; end: number }, detail: DetailLevel, page: JsonPage): boolean {
	const { output } = page;
	const length = node.end - node.start;
	if (output[node.start] !== '"' || length - 2 <= detail.maxTextUnits)
		return writeText(output.slice(node.start, node.end), page);
	const end = findEscapeBoundary(output, node.start + 1, node.start + 1 + detail.maxTextUnits);
	if (!writeText(output.slice(node.start, end), page)) return false;
	return writeMarker(`… [${node.end - 1 - end} more characters left out]"`, page);
}

/** Returns the last position up to `end` that splits neither an escape sequence nor a surrogate pair. */
function findEscapeBoundary(output: string, start: number, end: number): number {
	let position = start;
	for (;;) {
		const next = position + countUnitsAt(output, position);
		if (next > end) return position;
		position = next;
	}
}

function countUnitsAt(output: string, position: number): number {
	if (output[position] !== '\\') return (output.charCodeAt(position) & 0xfc00) === 0xd800 ? 2 : 1;
	if (output[position + 1] !== 'u') return 2;
	const isPair = /^\\u[dD][89abAB]/.test(output.slice(position, position + 4));
	return isPair && output.startsWith('\\u', position + 6) ? 12 : 6;
}

function writeText(text: string, page: JsonPage): boolean {
	const bytes = countUtf8Bytes(text);
	page.texts.push(text);
	page.remainingBytes -= bytes;
	page.keptBytes += bytes;
	return page.remainingBytes >= 0;
}

function writeMarker(text: string, page: JsonPage): boolean {
	page.texts.push(text);
	page.remainingBytes -= countUtf8Bytes(text);
	return page.remainingBytes >= 0;
}
