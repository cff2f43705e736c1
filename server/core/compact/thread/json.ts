/** JSON as lines that a reader can take singly: each small object or list whole, never half of one. */

import { isFields } from '../../shape.ts';

/** Objects and lists up to this long stay on one line. UTF-16 units. */
const longest = 160;
/** Shorter texts say themselves what they are; longer ones are data, left as they are. UTF-16 units. */
const smallest = 80;
const largest = 200_000;
/** A text that needs no quotes to be told from what stands around it. */
const plain = /^[\p{L}\p{N}][^,:{}[\]"\n]{0,120}$/u;

/** The objects and values of a JSON text, line by line, in few marks; undefined where it is none, or plain text in a wrapper. */
export function readableJson(text: string): { text: string; structured: boolean } {
	const asIs = { text, structured: false };
	if (!/^\s*[[{]/.test(text) || text.length < smallest || text.length > largest) return asIs;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return asIs;
	}
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

function fields(value: object): string {
	return Object.entries(value)
		.filter(([, one]) => !isEmpty(one))
		.map(([key, one]) => `${key}: ${onOneLine(one)}`)
		.join(', ');
}

function write(value: unknown, name: string, lines: string[]): void {
	const label = name === '' ? '' : `${name}: `;
	const whole = `${label}${isFields(value) ? fields(value) : onOneLine(value)}`;
	if (typeof value !== 'object' || value === null || whole.length <= longest) {
		lines.push(whole);
		return;
	}
	let line = '';
	const flush = (): void => {
		if (line !== '') lines.push(`${label}${line}`);
		line = '';
	};
	for (const [key, one] of Object.entries(value)) {
		if (isEmpty(one)) continue;
		const text = Array.isArray(value) ? onOneLine(one) : `${key}: ${onOneLine(one)}`;
		if (text.length > longest) {
			flush();
			write(one, Array.isArray(value) ? name : name === '' ? key : `${name}.${key}`, lines);
			continue;
		}
		if (line.length + text.length + 2 > longest - label.length) flush();
		line = line === '' ? text : `${line}, ${text}`;
	}
	flush();
}
