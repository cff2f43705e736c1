/** JSON as lines that a reader can take singly: each small object or list whole, never half of one. */

import { isFields, isNestedDeeper } from '../../shape.ts';
import { tuning } from '../tuning.ts';

/** JSON that is laid out line by line: shorter text says itself what it is, longer or deeper text is data. UTF-16 units, and levels. */
const layoutLimits = { minLength: 80, maxLength: 200_000, maxDepth: 64 } as const;
/** What is longer is data, whatever it begins with. UTF-16 units. */
const maxLinkLength = 1000;

/** A text that needs no quotes to be told from what stands around it. */
const plain = /^[\p{L}\p{N}][^,:{}[\]"\n]{0,120}$/u;

/** What a shell tool says of a command before what that put out. */
const head = /^(?:[A-Z][\w ]{2,24}:? [^\n]{0,40}\n){1,6}Output:[^\S\n]*\n\s*(?=[[{])/;

/** The objects and values of a JSON text, line by line, in few marks; the text as it is where it is none, or plain text in a wrapper. */
export function readableJson(text: string): { text: string; structured: boolean } {
	const said = head.exec(text)?.[0];
	if (said === undefined) return laidOut(text);
	const put = laidOut(text.slice(said.length));
	return put.structured ? { text: said + put.text, structured: true } : { text, structured: false };
}

function laidOut(text: string): { text: string; structured: boolean } {
	const asIs = { text, structured: false };
	if (!/^\s*[[{]/.test(text) || text.length < layoutLimits.minLength || text.length > layoutLimits.maxLength)
		return asIs;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return asIs;
	}
	if (isNestedDeeper(value, layoutLimits.maxDepth)) return asIs;
	const inner = outputOf(value);
	if (inner !== undefined) return { text: inner, structured: false };
	const lines: string[] = [];
	write(value, '', lines);
	return { text: lines.join('\n'), structured: true };
}

/** What a wrapper around a command's output holds. */
function outputOf(value: unknown): string | undefined {
	if (!isFields(value)) return undefined;
	const { output, metadata, exit_code } = value;
	return typeof output === 'string' && (metadata !== undefined || exit_code !== undefined)
		? output
		: undefined;
}

function onOneLine(value: unknown): string {
	if (typeof value === 'string') return plain.test(value) ? value : JSON.stringify(value);
	if (typeof value !== 'object' || value === null) return String(value);
	if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
	return `{${fields(value)}}`;
}

/** Nothing is said by it. */
function isEmpty(value: unknown): boolean {
	if (value === null || value === '') return true;
	return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The members that say something: links that only lengthen another link of the object are for machines. */
function membersOf(value: object): [string, unknown][] {
	const entries = Object.entries(value).filter(([, one]) => !isEmpty(one));
	const links = new Set(entries.flatMap(([, one]) => (isLink(one) ? [one] : [])));
	return links.size < 2 ? entries : entries.filter(([, one]) => !isLink(one) || !lengthens(one, links));
}

function isLink(value: unknown): value is string {
	return typeof value === 'string' && value.length <= maxLinkLength && /^https?:\/\/./.test(value);
}

/** Whether a link goes on from one of the links; by the places where it may, since there may be thousands of them. */
function lengthens(link: string, links: ReadonlySet<string>): boolean {
	for (const { index } of link.matchAll(/[/{]/g)) if (links.has(link.slice(0, index))) return true;
	return false;
}

function fields(value: object): string {
	return membersOf(value)
		.map(([key, one]) => `${key}: ${onOneLine(one)}`)
		.join(', ');
}

/** What all objects of a list have alike, told once, and the objects without it; nothing where they have nothing alike. */
function alikeIn(list: readonly unknown[]): { shared: Record<string, unknown>; rest: object[] } | undefined {
	const [first, ...others] = list;
	if (!isFields(first) || others.length === 0 || !others.every(isFields)) return undefined;
	const isShared = (key: string, value: unknown): boolean => {
		const text = JSON.stringify(value);
		return others.every((other) => JSON.stringify((other as Record<string, unknown>)[key]) === text);
	};
	const shared = Object.fromEntries(
		Object.entries(first).filter(([key, value]) => !isEmpty(value) && isShared(key, value)),
	);
	if (Object.keys(shared).length === 0) return undefined;
	const rest = (list as object[]).map((one) =>
		Object.fromEntries(Object.entries(one).filter(([key]) => !Object.hasOwn(shared, key))),
	);
	return rest.every((one) => Object.keys(one).length > 0) ? { shared, rest } : undefined;
}

function write(value: unknown, name: string, lines: string[]): void {
	const label = name === '' ? '' : `${name}: `;
	const most = isFields(value) ? tuning.lengths.maxObject : tuning.lengths.maxLine;
	const whole = `${label}${isFields(value) ? fields(value) : onOneLine(value)}`;
	if (typeof value !== 'object' || value === null || whole.length <= most) lines.push(whole);
	else if (Array.isArray(value)) writeList(value, name, lines);
	else writeObject(value, name, lines);
}

/** Items next to one another as far as a line goes; a long one by itself. */
function writeList(list: readonly unknown[], name: string, lines: string[]): void {
	const alike = alikeIn(list);
	if (alike) {
		lines.push(`${name === '' ? '' : `${name}, `}each: ${fields(alike.shared)}`);
		write(alike.rest, name, lines);
		return;
	}
	const label = name === '' ? '' : `${name}: `;
	let held: string[] = [];
	const flush = (): void => {
		lines.push(...joinedLines(held, label, tuning.lengths.maxLine));
		held = [];
	};
	for (const item of list) {
		if (isEmpty(item)) continue;
		const text = onOneLine(item);
		if (text.length <= tuning.lengths.maxLine) {
			held.push(text);
			continue;
		}
		flush();
		write(item, name, lines);
	}
	flush();
}

/** What an object says in short first, then its long members. */
function writeObject(value: object, name: string, lines: string[]): void {
	const short: string[] = [];
	const long: [string, unknown][] = [];
	for (const [key, one] of membersOf(value)) {
		const text = `${key}: ${onOneLine(one)}`;
		if (text.length <= tuning.lengths.maxArgument) short.push(text);
		else long.push([key, one]);
	}
	lines.push(...joinedLines(short, name === '' ? '' : `${name}: `, tuning.lengths.maxObject));
	for (const [key, one] of long) write(one, name === '' ? key : `${name}.${key}`, lines);
}

/** Texts with commas between them, in lines of so many UTF-16 units with the label before each. */
function joinedLines(texts: readonly string[], label: string, most: number): string[] {
	const lines: string[] = [];
	let line = '';
	for (const text of texts) {
		if (line !== '' && line.length + text.length + 2 > most - label.length) {
			lines.push(`${label}${line}`);
			line = '';
		}
		line = line === '' ? text : `${line}, ${text}`;
	}
	if (line !== '') lines.push(`${label}${line}`);
	return lines;
}
