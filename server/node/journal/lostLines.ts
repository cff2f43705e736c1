/** The lines of a stretch that holds no sound record. */

import { crc32 } from 'node:zlib';
import type { LostLine } from '../../session/ports.ts';
import { type JournalFile, readStretch } from './bodies.ts';
import { onStorage } from './failure.ts';
import type { Stretch } from './survey.ts';

/** What a header says of one of its bodies: its length and checksum. */
const bodyPattern = /\[(\d{1,9}),(\d{1,10})\]/g;
/** What a header holds: damage leaves some of it. */
const headerMarks = ['{"crc":', '"bodies":[', '"record":'];
const newline = 0x0a;

/** What is left of lost records. */
export interface LostLines {
	lines: LostLine[];
	/** Of all of them, without the journal's own first line. */
	bytes: number;
}

/** One line as it stands in a file. */
interface Line {
	text: string;
	/** Length and checksum, as a header would name it. */
	name: string;
}

/** The lines of a stretch: the headers in it, and behind each its bodies, an empty line for each that is gone. */
export async function lostLines(file: JournalFile, stretch: Stretch): Promise<LostLines> {
	const bytes = await bytesOf(file, stretch);
	const found = splitLines(bytes);
	const isStart = stretch.from === 0 && isFormatLine(found[0]?.text ?? '');
	const first = isStart ? found.shift() : undefined;
	const groups: Line[][] = [];
	for (const line of found) {
		if (groups.length === 0 || isHeader(line.text)) groups.push([line]);
		else groups.at(-1)?.push(line);
	}
	const lines = groups.flatMap(placed);
	return { lines, bytes: bytes.length - (first === undefined ? 0 : Buffer.byteLength(first.text) + 1) };
}

function splitLines(bytes: Buffer): Line[] {
	const lines: Line[] = [];
	for (let start = 0; start < bytes.length; ) {
		const found = bytes.indexOf(newline, start);
		const end = found === -1 ? bytes.length : found;
		const line = bytes.subarray(start, end);
		lines.push({ text: line.toString('utf8'), name: `[${line.length},${crc32(line)}]` });
		start = end + 1;
	}
	return lines;
}

/**
 * A header and its bodies. Between two that are sound, as many are gone as the header speaks of, or as there are other
 * lines where it speaks of fewer.
 */
function placed([header, ...rest]: readonly Line[]): LostLine[] {
	if (header === undefined) return [];
	const isKnown = isHeader(header.text);
	const named = isKnown ? [...headOf(header.text).matchAll(bodyPattern)].map(([name]) => name) : [];
	const places = new Map<string, number[]>();
	for (const [place, name] of named.entries()) places.set(name, [...(places.get(name) ?? []), place]);
	const lines: LostLine[] = isKnown ? [{ text: header.text, isSound: false }] : [];
	let next = 0;
	let others = isKnown ? 0 : 1;
	const gone = (count: number): void => {
		for (let index = 0; index < count; index++) lines.push({ text: '', isSound: false });
	};
	for (const { text, name } of rest) {
		const place = places.get(name)?.find((one) => one >= next);
		if (place === undefined) {
			others++;
			continue;
		}
		gone(Math.max(others, place - next));
		lines.push({ text, isSound: true });
		next = place + 1;
		others = 0;
	}
	gone(Math.max(others, named.length - next));
	return lines;
}

function isHeader(text: string): boolean {
	return headerMarks.filter((mark) => text.includes(mark)).length > 1;
}

function isFormatLine(text: string): boolean {
	return /"(?:contextd|version|sessionId)":/.test(text) && !isHeader(text);
}

/** The part of a header that says what bodies it has. */
function headOf(header: string): string {
	const end = header.indexOf('"record":');
	return end < 0 ? header : header.slice(0, end);
}

function bytesOf(file: JournalFile, { from, to }: Stretch): Promise<Buffer> {
	return onStorage('read', file.path, () => readStretch(file, from, to - from));
}
