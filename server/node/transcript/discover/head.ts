import { pickDefined } from '../../../core/shape.ts';
import {
	agents,
	applyEvent,
	createOutline,
	detectAgent,
	findTitle,
	type Outline,
	parseRecords,
	sampleRecordCount,
} from '../../../core/transcript/index.ts';
import { asFields, parseTime } from '../../../core/values.ts';
import { readBytes } from '../../disk/readBytes.ts';
import { type FileStart, openFile } from '../openFile.ts';
import { decompressStart, startsLikeZstd } from '../zstd.ts';

/** Bytes at the start of a file that suffice to recognize agent, folder and title. */
export const headBytes = 256 << 10;

/** Facts about a transcript that its start reveals. */
export interface TranscriptHead {
	agent: string;
	title?: string;
	/** The first timestamp of a message, in milliseconds since the epoch. */
	startedAt?: number;
	/** The last timestamp of a record, in milliseconds since the epoch. */
	lastActivityAt?: number;
	/** The agent's id of the session. */
	sessionId?: string;
	/** Id of the session that started this sub-agent, if its transcript states the id. */
	parent?: string;
	/** Path of the transcript from which this one was copied. */
	copyOf?: string;
	/** The folders where the agent worked; the first is the one where it was started. */
	folders: string[];
}

/** Bytes at the end of a file that are searched for a timestamp. */
const tailBytes = 64 << 10;

/** Reads the start and the last records of a file; undefined if it is not a transcript of a known agent. */
export async function readTranscriptHead(path: string): Promise<TranscriptHead | undefined> {
	const { tail, ...start } = await readStartAndEnd(path);
	const head = await parseTranscriptHead(path, start);
	if (startsLikeZstd(start.bytes)) return head;
	return head && { ...head, ...pickDefined({ lastActivityAt: findLastTime(tail.toString('utf8')) }) };
}

/** Like `readTranscriptHead`, but parses bytes that were already read, and returns no time of the last record. */
export async function parseTranscriptHead(
	path: string,
	{ bytes, size }: FileStart,
): Promise<TranscriptHead | undefined> {
	if (!startsLikeZstd(bytes)) return parseHead(bytes.toString('utf8'), size > bytes.length);
	const start = await decompressStart(path, headBytes);
	return parseHead(start.toString('utf8'), start.length >= headBytes);
}

async function readStartAndEnd(path: string): Promise<FileStart & { tail: Buffer }> {
	const { handle, stats } = await openFile(path);
	try {
		const bytes = await readBytes(handle, 0, Math.min(stats.size, headBytes));
		const end = await readBytes(handle, Math.max(0, stats.size - tailBytes), stats.size);
		const tail = stats.size > tailBytes ? end.subarray(end.indexOf('\n') + 1) : end;
		return { bytes, size: stats.size, tail };
	} finally {
		await handle.close();
	}
}

/** Returns the last timestamp of a record; undefined if no record has one. */
function findLastTime(tail: string): number | undefined {
	for (const record of parseRecords(tail).records.reverse()) {
		const { timestamp, message } = asFields(record);
		const time = parseTime(timestamp, asFields(message).timestamp);
		if (time !== undefined) return time;
	}
	return undefined;
}

function parseHead(text: string, isCut: boolean): TranscriptHead | undefined {
	const complete = isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
	const records = parseRecords(complete === '' ? text : complete).records.slice(0, 4 * sampleRecordCount);
	const agent = detectAgent(records);
	if (agent === undefined) return parsePartialDocument(text);
	const reader = agent.createReader();
	const outline = createOutline();
	const folders: string[] = [];
	for (const record of records) {
		for (const event of reader.push(record)) {
			if (event.t === 'info' && event.info.cwd) folders.push(event.info.cwd);
			applyEvent(outline, event);
		}
	}
	const folder = findFolder(text);
	if (folders.length === 0 && folder !== undefined) folders.push(folder);
	const { copyOf, sessionId, parent } = outline.info;
	return {
		agent: agent.name,
		title: findTitle(outline),
		startedAt: findStartTime(outline),
		folders,
		...pickDefined({ copyOf, sessionId, parent }),
	};
}

function findStartTime({ entries }: Outline): number | undefined {
	for (const entry of entries) {
		const time = entry.t === 'message' ? entry.message?.timestamp : undefined;
		if (time !== undefined) return time;
	}
	return undefined;
}

/** Returns the head of a document that cannot be parsed, because only its start was read. */
function parsePartialDocument(text: string): TranscriptHead | undefined {
	const agent = agents.find(({ startPattern }) => startPattern?.test(text));
	const cwd = findFolder(text);
	return agent && { agent: agent.name, folders: cwd === undefined ? [] : [cwd] };
}

/** Finds the working folder that a text states in the format of any agent. */
function findFolder(text: string): string | undefined {
	for (const { cwdPattern } of agents) {
		const folder = cwdPattern?.exec(text)?.[1];
		if (folder !== undefined) return folder.replaceAll('\\\\', '\\');
	}
	return undefined;
}
