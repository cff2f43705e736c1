import { closeSync, fstatSync, openSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pickDefined } from '../../core/shape.ts';
import {
	type Agent,
	applyEvent,
	createOutline,
	type Outline,
	parseRecords,
	type TranscriptInfo,
} from '../../core/transcript/index.ts';
import type { NewestModel } from '../../session/transcript/reader.ts';
import { readBytesNow } from '../disk/readBytes.ts';
import { tryParseDocument } from './documentFile.ts';
import { readOnlyFlags, readTextNow, toUnreadableFailure } from './openFile.ts';

/** Bytes at the start of a transcript that are read to find its agent and the first usage report. */
const startBytes = 64 << 10;
/** Bytes at the end of a transcript that are read first, and at most. Quadrupled until they contain a usage report. */
const endBytes = { first: 64 << 10, max: 32 << 20 };

/** The two ends of a transcript, as an outline each. Both are the same outline if the transcript is short. */
export interface TranscriptEnds {
	agent: Agent;
	start: Outline;
	end: Outline;
}

/** Detects the agent that wrote a sample; undefined if it is none of the relevant agents. */
type Detect = (records: readonly unknown[]) => Agent | undefined;

/**
 * Reads the start of a transcript, and its end from the newest usage report or compaction on.
 *
 * Reads synchronously, for a process that ends after one look. Returns undefined if no known agent wrote the file, or
 * if it is neither JSON Lines nor one JSON document. Fails with `FileUnreadable`.
 */
export function readEnds(path: string, detect: Detect): TranscriptEnds | undefined {
	return readOpened(path, (open, isFile) => (isFile ? readBothEnds(open, detect) : undefined));
}

/** Maximum bytes at the end of a transcript that are searched for the newest model. */
const maxModelSearchBytes = 1 << 20;

/**
 * Finds the model of a transcript's newest answers in its last lines; undefined if they name no model.
 *
 * Reads synchronously. Fails with `FileUnreadable`.
 *
 * @param head the transcript's first records
 */
export function findModelAtEnd(
	path: string,
	agent: Agent,
	head: readonly unknown[],
): NewestModel | undefined {
	return readOpened(path, (open) => findNewestModel(open, agent, head));
}

function findNewestModel(
	{ file, size }: OpenFile,
	agent: Agent,
	head: readonly unknown[],
): NewestModel | undefined {
	for (let bytes = endBytes.first; bytes <= maxModelSearchBytes; bytes *= 4) {
		const { provider, model } = buildOutline(agent, readLastRecords(file, size, bytes), { head }).info;
		if (model !== undefined) return pickDefined({ provider, model });
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

/** Opens a file for `read`, and closes it. Fails with `FileUnreadable`. */
function readOpened<T>(path: string, read: (open: OpenFile, isFile: boolean) => T): T {
	try {
		const file = openSync(path, readOnlyFlags);
		try {
			const stats = fstatSync(file);
			return read({ path, file, size: stats.size }, stats.isFile());
		} finally {
			closeSync(file);
		}
	} catch (error) {
		throw toUnreadableFailure(path, error);
	}
}

function readBothEnds(open: OpenFile, detect: Detect): TranscriptEnds | undefined {
	const { path, file, size } = open;
	if (size <= startBytes + endBytes.first) return readWhole(open, detect);
	const head = readBytesNow(file, 0, startBytes);
	const records = parseRecords(head.toString('utf8', 0, head.lastIndexOf(lineFeed) + 1)).records;
	const agent = detect(records);
	// The file is one document, or its first line is longer than the bytes at the start.
	if (agent === undefined) return size <= endBytes.max ? readWhole(open, detect) : undefined;
	const start = buildOutline(agent, records);
	const sideRecords = readCompanionRecords(path, agent);
	for (let bytes = endBytes.first; ; bytes *= 4) {
		const isEnough = bytes >= Math.min(size, endBytes.max);
		const end = buildOutline(agent, [...readLastRecords(file, size, bytes), ...sideRecords], {
			info: start.info,
			head: records,
		});
		if (isEnough || isConclusive(end)) return { agent, start, end };
	}
}

function readWhole({ path, file, size }: OpenFile, detect: Detect): TranscriptEnds | undefined {
	const { records } = parseRecords(readBytesNow(file, 0, size).toString('utf8'));
	const agent = detect(records);
	if (agent === undefined) return undefined;
	const whole = buildOutline(agent, [...records, ...readCompanionRecords(path, agent)]);
	return { agent, start: whole, end: whole };
}

/** Reads the records of the document next to a transcript of lines; none if there is no such document. */
function readCompanionRecords(path: string, { companion }: Agent): unknown[] {
	const name = companion?.findCompanionName(basename(path));
	if (companion === undefined || name === undefined || companion.isTranscriptDocument) return [];
	return companion.combineRecords([], tryParseDocument(readTextNow(join(dirname(path), name)))?.value);
}

const lineFeed = 0x0a;

/** Reads the records of the complete lines within the last `bytes` of a file. */
function readLastRecords(file: number, size: number, bytes: number): unknown[] {
	const from = Math.max(0, size - bytes);
	const piece = readBytesNow(file, from, size);
	return parseRecords(piece.toString('utf8', from === 0 ? 0 : piece.indexOf(lineFeed) + 1)).records;
}

/** Facts about a transcript that are known before its end is read. */
interface KnownStart {
	info?: TranscriptInfo;
	/** The first records of the transcript. */
	head?: readonly unknown[];
}

function buildOutline(agent: Agent, records: readonly unknown[], { info, head }: KnownStart = {}): Outline {
	const outline = createOutline();
	Object.assign(outline.info, info);
	const reader = agent.createReader(head);
	for (const record of records) for (const event of reader.push(record)) applyEvent(outline, event);
	return outline;
}

/** Whether an outline has a usage report or a compaction, so that earlier records do not matter. */
function isConclusive({ entries }: Outline): boolean {
	return entries.some((entry) => entry.t === 'compaction' || entry.usage !== undefined);
}
