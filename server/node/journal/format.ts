/**
 * The bytes of a journal: a format line, then records. A record is one header line, whose checksum covers all
 * that follows it on that line, and one line for each body.
 */

import { crc32 } from 'node:zlib';
import { Failure } from '../../core/failure.ts';
import { isFields, parsedJson } from '../../core/shape.ts';
import type { BodyRef } from '../../session/ports.ts';

/** The version that this program writes, and the newest that it reads. */
export const formatVersion = 1;

/** Bytes: a header line beyond this is taken for damage, and no such record is written. */
export const maximumHeaderBytes = 128 * 1024 * 1024;

/** Bytes that hold every format line: an identifier of 512 units takes at most 3 072 when escaped. */
export const maximumFormatLineBytes = 4096;

const newline = 0x0a;
const comma = 0x2c;
const headerPrefix = Buffer.from('{"crc":');
/** The prefix, a CRC-32 of up to ten digits, a comma and the line end. */
const headerPrefixBytes = headerPrefix.length + 12;
// JSON leaves U+2028 and U+2029 as they are, which end a line for a pattern unless it has the flag s.
const formatLinePattern = /^(\{"contextd":"journal","version":(\d{1,9})\b.*),"crc":(\d{1,10})\}$/s;
const formatLineStart = '{"contextd":"journal","version":';
const anyVersionPattern = /^\{"contextd":"journal","version":(\d{1,9})\b/;

/** A record as bytes, in pieces: its header line, and a line for each body. */
interface EncodedRecord {
	pieces: Buffer[];
	/** Where the bodies will lie. */
	refs: BodyRef[];
}

/** What a header line says. */
export interface RecordHeader {
	value: unknown;
	/** Length in bytes and CRC-32 of each body. */
	bodies: [number, number][];
	/** Everything before this record was on disk when it was written. */
	synced: boolean;
}

/** What the first line of a journal says. */
export type FormatLine =
	| { kind: 'journal'; sessionId: string; length: number }
	| { kind: 'newer'; version: number }
	| { kind: 'damaged' }
	| { kind: 'foreign' };

/** The first line of a session's journal, with its line end. */
export function encodeFormatLine(sessionId: string): Buffer {
	const said = `${formatLineStart}${formatVersion},"sessionId":${JSON.stringify(sessionId)}`;
	return Buffer.from(`${said},"crc":${crc32(said)}}\n`);
}

/** Reads the first line from a file's first bytes (`maximumFormatLineBytes` of them, or the whole file). */
export function parseFormatLine(bytes: Buffer): FormatLine {
	const end = bytes.indexOf(newline);
	const line = bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
	const version = Number(anyVersionPattern.exec(line)?.[1] ?? Number.NaN);
	if (Number.isNaN(version)) return { kind: isLeftOver(bytes, line) ? 'damaged' : 'foreign' };
	const [, said, , crc] = formatLinePattern.exec(line) ?? [];
	const isSound = end !== -1 && said !== undefined && crc32(said) === Number(crc);
	// A newer version may write another line; one like ours whose checksum does not fit is damaged, its version too.
	if (version > formatVersion && (isSound || said === undefined)) return { kind: 'newer', version };
	if (!isSound) return { kind: 'damaged' };
	const parsed: unknown = JSON.parse(line);
	if (typeof parsed !== 'object' || parsed === null || !('sessionId' in parsed)) return { kind: 'damaged' };
	if (typeof parsed.sessionId !== 'string') return { kind: 'damaged' };
	return { kind: 'journal', sessionId: parsed.sessionId, length: end + 1 };
}

/** Whether a file without a format line is a journal: its line was cut, or holds zeros, or records follow. */
function isLeftOver(bytes: Buffer, line: string): boolean {
	return `${formatLineStart}1`.startsWith(line) || bytes.includes(0) || bytes.includes(headerPrefix);
}

/**
 * A record as bytes that will begin at `offset`. `place` says whether it begins a group that is written after
 * everything before it reached the disk.
 *
 * @throws TypeError when the value has no JSON form or a body holds a line end
 * @throws Failure `TooLarge` when the header would be longer than `maximumHeaderBytes`
 */
export function encodeRecord(
	value: unknown,
	bodies: readonly string[],
	offset: number,
	place: 'first of its group' | 'within its group',
): EncodedRecord {
	const json = recordJson(value);
	if (json === undefined) throw new TypeError('a record must be a value that JSON can hold');
	const lines = bodies.map(encodeBody);
	const sums = lines.map((line) => ({ length: line.length - 1, crc: crc32(line.subarray(0, -1)) }));
	const lengths = sums.map(({ length, crc }) => `[${length},${crc}]`).join(',');
	const synced = place === 'first of its group' ? '"synced":true,' : '';
	const said = `"bodies":[${lengths}],${synced}"record":${json}}`;
	if (Buffer.byteLength(said) > maximumHeaderBytes - headerPrefixBytes) throw recordTooLarge();
	const header = Buffer.from(`{"crc":${crc32(said)},${said}\n`);
	let next = offset + header.length;
	const refs = sums.map(({ length, crc }) => {
		const ref = { offset: next, length, crc };
		next += length + 1;
		return ref;
	});
	return { pieces: [header, ...lines], refs };
}

function encodeBody(body: string, index: number): Buffer {
	if (body.includes('\n')) throw new TypeError(`body ${index} of a record holds a line end`);
	return Buffer.from(`${body}\n`);
}

/** The record as JSON. V8 throws a RangeError for a text of 2^29 units, four times `maximumHeaderBytes`. */
function recordJson(value: unknown): string | undefined {
	try {
		return JSON.stringify(value);
	} catch (error) {
		throw error instanceof RangeError && error.message === 'Invalid string length' ? recordTooLarge() : error;
	}
}

function recordTooLarge(): Failure {
	const reason = `the record would be larger than ${maximumHeaderBytes} bytes; send fewer messages at once`;
	return new Failure('TooLarge', reason, { maximumBytes: maximumHeaderBytes });
}

/** Whether the bytes at `start` can be the start of a header line. */
export function startsLikeHeader(bytes: Buffer, start: number): boolean {
	const length = Math.min(headerPrefix.length, bytes.length - start);
	return bytes.compare(headerPrefix, 0, length, start, start + length) === 0;
}

/** Reads the header line at [start, end) of `bytes`, its line end excluded; undefined when it is damaged. */
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
	return asHeader(bytes.toString('utf8', start, end));
}

function asHeader(line: string): RecordHeader | undefined {
	// A stranger's line may carry a right checksum by chance: it is no header, and the caller says so.
	const value = parsedJson(line)?.value;
	if (!isFields(value) || !Array.isArray(value.bodies)) return undefined;
	return { value: value.record, bodies: value.bodies, synced: value.synced === true };
}
