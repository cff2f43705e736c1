/**
 * Encodes and parses the bytes of a journal, which has a format line and then records.
 *
 * A record has one header line and one line for each body. The header's checksum covers the rest of the header line.
 */

import { crc32 } from 'node:zlib';
import { Failure } from '../../core/failure.ts';
import { isFields, tryParseJson } from '../../core/shape.ts';
import type { BodyRef } from '../../session/ports.ts';

/** The version that this program writes, which is also the newest that it can read. */
export const formatVersion = 1;

/** Maximum bytes of a header line. A longer line is never written, and counts as damage. */
export const maxHeaderBytes = 128 * 1024 * 1024;

/** Every format line fits into this many bytes: an escaped id of 512 units needs at most 3 072. */
export const maxLineBytes = 4096;

const newline = 0x0a;
const comma = 0x2c;
const headerPrefix = Buffer.from('{"crc":');
/** Bytes of the prefix, a CRC-32 of up to ten digits, a comma and the line end. */
const headerPrefixBytes = headerPrefix.length + 12;
// The flag s lets `.` match U+2028 and U+2029, which JSON does not escape.
const formatLinePattern = /^(\{"contextd":"journal","version":(\d{1,9})\b.*),"crc":(\d{1,10})\}$/s;
const formatLineStart = '{"contextd":"journal","version":';
const anyVersionPattern = /^\{"contextd":"journal","version":(\d{1,9})\b/;

interface EncodedRecord {
	/** The header line, then a line for each body. */
	pieces: Buffer[];
	/** Positions of the bodies in the journal. */
	refs: BodyRef[];
}

/** The content of a header line. */
export interface RecordHeader {
	value: unknown;
	/** Length in bytes and CRC-32 of each body. */
	bodies: [number, number][];
	/** Whether all earlier records were on disk before this record was written. */
	synced: boolean;
}

/** The content of a journal's first line. */
export type FormatLine =
	| { kind: 'journal'; sessionId: string; length: number }
	| { kind: 'newer'; version: number }
	| { kind: 'damaged' }
	| { kind: 'foreign' };

/** Encodes the first line of a session's journal, with its line end. */
export function encodeFormatLine(sessionId: string): Buffer {
	const text = `${formatLineStart}${formatVersion},"sessionId":${JSON.stringify(sessionId)}`;
	return Buffer.from(`${text},"crc":${crc32(text)}}\n`);
}

/** Parses the first line of a journal. `bytes` are the first `maxFormatLineBytes` of the file, or the whole file. */
export function parseFormatLine(bytes: Buffer): FormatLine {
	const end = bytes.indexOf(newline);
	const line = bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
	const version = Number(anyVersionPattern.exec(line)?.[1] ?? Number.NaN);
	if (Number.isNaN(version)) return { kind: isDamagedJournal(bytes, line) ? 'damaged' : 'foreign' };
	const [, text, , crc] = formatLinePattern.exec(line) ?? [];
	const isSound = end !== -1 && text !== undefined && crc32(text) === Number(crc);
	// A newer version may write another kind of line. A line of our kind with a wrong checksum is damaged, maybe in its version.
	if (version > formatVersion && (isSound || text === undefined)) return { kind: 'newer', version };
	if (!isSound) return { kind: 'damaged' };
	const parsed: unknown = JSON.parse(line);
	if (typeof parsed !== 'object' || parsed === null || !('sessionId' in parsed)) return { kind: 'damaged' };
	if (typeof parsed.sessionId !== 'string') return { kind: 'damaged' };
	return { kind: 'journal', sessionId: parsed.sessionId, length: end + 1 };
}

/** Whether a file without a valid format line is a journal: the line is cut off or contains zeros, or records follow. */
function isDamagedJournal(bytes: Buffer, line: string): boolean {
	return `${formatLineStart}1`.startsWith(line) || bytes.includes(0) || bytes.includes(headerPrefix);
}

/**
 * Encodes a record that will begin at `offset`.
 *
 * @param position whether the record begins a group, which is written only after all earlier records are on disk
 * @throws TypeError if the value has no JSON form or a body contains a line end
 * @throws Failure `TooLarge` if the header would be longer than `maxHeaderBytes`
 */
export function encodeRecord(
	value: unknown,
	bodies: readonly string[],
	offset: number,
	position: 'first of its group' | 'within its group',
): EncodedRecord {
	const json = serializeRecord(value);
	if (json === undefined) throw new TypeError('a record must be a JSON value');
	const lines = bodies.map(encodeBody);
	const sums = lines.map((line) => ({ length: line.length - 1, crc: crc32(line.subarray(0, -1)) }));
	const lengths = sums.map(({ length, crc }) => `[${length},${crc}]`).join(',');
	const synced = position === 'first of its group' ? '"synced":true,' : '';
	const text = `"bodies":[${lengths}],${synced}"record":${json}}`;
	if (Buffer.byteLength(text) > maxHeaderBytes - headerPrefixBytes) throw createTooLargeFailure();
	const header = Buffer.from(`{"crc":${crc32(text)},${text}\n`);
	let next = offset + header.length;
	const refs = sums.map(({ length, crc }) => {
		const ref = { offset: next, length, crc };
		next += length + 1;
		return ref;
	});
	return { pieces: [header, ...lines], refs };
}

function encodeBody(body: string, index: number): Buffer {
	if (body.includes('\n')) throw new TypeError(`body ${index} of a record contains a line end`);
	return Buffer.from(`${body}\n`);
}

/** Converts a record to JSON. V8 throws a RangeError at 2^29 units, which is four times `maxHeaderBytes`. */
function serializeRecord(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch (error) {
		throw error instanceof RangeError && error.message === 'Invalid string length'
			? createTooLargeFailure()
			: error;
	}
}

function createTooLargeFailure(): Failure {
	const reason = `the record would be larger than ${maxHeaderBytes} bytes; send fewer messages at once`;
	return new Failure('TooLarge', reason, { maximumBytes: maxHeaderBytes });
}

/** Whether the bytes at `start` can be the start of a header line. */
export function startsLikeHeader(bytes: Buffer, start: number): boolean {
	const length = Math.min(headerPrefix.length, bytes.length - start);
	return bytes.compare(headerPrefix, 0, length, start, start + length) === 0;
}

/** Parses the header line at [start, end) of `bytes`, without its line end; undefined if it is damaged. */
export function parseHeader(bytes: Buffer, start: number, end: number): RecordHeader | undefined {
	let index = start + headerPrefix.length;
	if (end <= index || !startsLikeHeader(bytes, start)) return undefined;
	let crc = 0;
	for (; index < end && bytes[index] !== comma; index++) {
		const digit = bytes[index]! - 0x30;
		if (digit < 0 || digit > 9) return undefined;
		crc = crc * 10 + digit;
	}
	if (index >= end || crc32(bytes.subarray(index + 1, end)) !== crc) return undefined;
	return toHeader(bytes.toString('utf8', start, end));
}

function toHeader(line: string): RecordHeader | undefined {
	// A line of another program may have a correct checksum by chance.
	const value = tryParseJson(line)?.value;
	if (!isFields(value) || !Array.isArray(value.bodies)) return undefined;
	return { value: value.record, bodies: value.bodies, synced: value.synced === true };
}
