import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withoutUndefined } from '../../core/shape.ts';
import { applyEvent, createOutline, type Outline } from '../../core/transcript/outline.ts';
import type { Agent, TranscriptSample } from '../../core/transcript/reading/agent.ts';
import type { TranscriptInfo } from '../../core/transcript/reading/events.ts';
import { parseRecords } from '../../core/transcript/reading/lines.ts';
import type { NewestModel } from '../../session/transcript/reader.ts';
import { tryParseDocument } from './documentFile.ts';
import { readOnlyFlags, readTextNow, unreadableTranscript } from './openFile.ts';

/** Bytes at the start of a transcript, with its agent and its first usage figures. */
const startBytes = 64 << 10;
/** Bytes at its end: first, and at most; quadrupled while they contain no usage figure. */
const endBytes = { first: 64 << 10, max: 32 << 20 };

/** The two ends of a transcript, each as an outline of its own; equal if the transcript is short. */
export interface TranscriptEnds {
	agent: Agent;
	start: Outline;
	end: Outline;
}

/** Detects the agent of a sample among the relevant ones; undefined if it is none of them. */
type Detect = (sample: TranscriptSample) => Agent | undefined;

/**
 * Reads the start and the end of a transcript, back to its newest usage figure or compaction.
 *
 * For a process that looks once and ends: it reads synchronously. Undefined if it is not a transcript of a known agent, or
 * not a file of lines or a single document. Fails with `FileUnreadable`.
 */
export function readEnds(path: string, detect: Detect): TranscriptEnds | undefined {
	try {
		const file = openSync(path, readOnlyFlags);
		try {
			const stats = fstatSync(file);
			return stats.isFile() ? endsOf({ path, file, size: stats.size }, detect) : undefined;
		} finally {
			closeSync(file);
		}
	} catch (error) {
		throw unreadableTranscript(path, error);
	}
}

/** Maximum bytes at the end of a transcript in which its newest model is searched. */
const maxModelSearchBytes = 1 << 20;

/**
 * The model of a transcript's newest answers, from its last lines; undefined if they name none.
 *
 * Reads synchronously. Fails with `FileUnreadable`.
 *
 * @param head the transcript's first records
 */
export function modelAtEnd(path: string, agent: Agent, head: readonly unknown[]): NewestModel | undefined {
	try {
		const file = openSync(path, readOnlyFlags);
		try {
			return newestModelIn({ path, file, size: fstatSync(file).size }, agent, head);
		} finally {
			closeSync(file);
		}
	} catch (error) {
		throw unreadableTranscript(path, error);
	}
}

function newestModelIn(
	{ file, size }: OpenFile,
	agent: Agent,
	head: readonly unknown[],
): NewestModel | undefined {
	for (let bytes = endBytes.first; bytes <= maxModelSearchBytes; bytes *= 4) {
		const { provider, model } = outlineOf(agent, lastRecords(file, size, bytes), { head }).info;
		if (model !== undefined) return withoutUndefined({ provider, model });
		if (bytes >= size) return undefined;
	}
	return undefined;
}

interface OpenFile {
	path: string;
	file: number;
	/** Bytes. */
	size: number;
}

function endsOf(open: OpenFile, detect: Detect): TranscriptEnds | undefined {
	const { path, file, size } = open;
	if (size <= startBytes + endBytes.first) return wholeOf(open, detect);
	const head = bytesOf(file, 0, startBytes);
	const records = parseRecords(head.toString('utf8', 0, head.lastIndexOf(lineFeed) + 1)).records;
	const agent = detect({ records });
	// One document, or a first line longer than the start.
	if (agent === undefined) return size <= endBytes.max ? wholeOf(open, detect) : undefined;
	const start = outlineOf(agent, records);
	const sideRecords = companionRecords(path, agent);
	for (let bytes = endBytes.first; ; bytes *= 4) {
		const isEnough = bytes >= Math.min(size, endBytes.max);
		const end = outlineOf(agent, [...lastRecords(file, size, bytes), ...sideRecords], {
			info: start.info,
			head: records,
		});
		if (isEnough || isConclusive(end)) return { agent, start, end };
	}
}

function wholeOf({ path, file, size }: OpenFile, detect: Detect): TranscriptEnds | undefined {
	const { records } = parseRecords(bytesOf(file, 0, size).toString('utf8'));
	const agent = detect({ records });
	if (agent === undefined) return undefined;
	const whole = outlineOf(agent, [...records, ...companionRecords(path, agent)]);
	return { agent, start: whole, end: whole };
}

/** The records of the document next to a transcript of lines. */
function companionRecords(path: string, { companion }: Agent): unknown[] {
	const name = companion?.findCompanionName(basename(path));
	if (companion === undefined || name === undefined || companion.isOfDocument) return [];
	return companion.records([], tryParseDocument(readTextNow(join(dirname(path), name)))?.value);
}

const lineFeed = 0x0a;

/** The records of the last complete lines. */
function lastRecords(file: number, size: number, bytes: number): unknown[] {
	const from = Math.max(0, size - bytes);
	const piece = bytesOf(file, from, size);
	return parseRecords(piece.toString('utf8', from === 0 ? 0 : piece.indexOf(lineFeed) + 1)).records;
}

/** The bytes of a range; fewer if the file ends earlier. */
function bytesOf(file: number, from: number, to: number): Buffer {
	const bytes = Buffer.allocUnsafe(to - from);
	let filled = 0;
	while (filled < bytes.length) {
		const read = readSync(file, bytes, filled, bytes.length - filled, from + filled);
		if (read === 0) break;
		filled += read;
	}
	return bytes.subarray(0, filled);
}

/** Facts about a transcript before its end is read. */
interface Before {
	info?: TranscriptInfo;
	/** Its first records. */
	head?: readonly unknown[];
}

function outlineOf(agent: Agent, records: readonly unknown[], { info, head }: Before = {}): Outline {
	const outline = createOutline();
	Object.assign(outline.info, info);
	const reader = agent.createReader(head);
	for (const record of records) for (const event of reader.push(record)) applyEvent(outline, event);
	return outline;
}

/** Whether earlier records do not matter, because a usage figure or a compaction was found. */
function isConclusive({ entries }: Outline): boolean {
	return entries.some((entry) => entry.t === 'compaction' || entry.usage !== undefined);
}
