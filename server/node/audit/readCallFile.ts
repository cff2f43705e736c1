/** Reads the calls in one transcript or database. */

import { basename } from 'node:path';
import { errorCode } from '../../core/failure.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import {
	CallLog,
	type CallRule,
	findCallRule,
	type ModelCall,
	parseRecordingPath,
	type RecordQuery,
} from '../../core/transcript/index.ts';
import { queryDatabase } from '../transcript/database.ts';
import { openFile, toUnreadableFailure } from '../transcript/openFile.ts';
import { openSource } from '../transcript/openSource.ts';
import { createRecordingSource, type ReadRecording } from '../transcript/recordingSource.ts';
import { formatDatabasePath } from '../transcript/sessionDatabase.ts';
import type { RecordSource } from '../transcript/source.ts';
import { startsLikeZstd } from '../transcript/zstd.ts';
import type { CallFile } from './callFiles.ts';
import type { MarkedLineReader } from './markedLines.ts';

export interface AuditedSession {
	path: string;
	calls: ModelCall[];
}

function toSession(path: string, log: CallLog): AuditedSession {
	return { path, calls: log.calls };
}

/** Matches the name of a sub-agent's transcript and captures the sub-agent's id. */
const subAgentFilePattern = /^(?:agent-)?(.+)\.jsonl?$/;

/** Reads the lines that contain one of the rule's `marks` into the log. Returns false without reading a compressed file. */
async function readMarkedLines(
	path: string,
	{ marks = [], createReader }: CallRule,
	log: CallLog,
	{ signal, lines }: CallReadContext,
): Promise<boolean> {
	const { handle } = await openFile(path);
	try {
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
		if (startsLikeZstd(buffer.subarray(0, bytesRead))) return false;
		const readRecord = createReader(log);
		for await (const records of lines.readRecords(handle, marks, signal))
			for (const record of records) readRecord(record);
		return true;
	} finally {
		await handle.close();
	}
}

/** Reads all records of a source into the log, and closes the source. */
async function readWhole(
	source: RecordSource,
	rule: CallRule,
	log: CallLog,
	signal?: AbortSignal,
): Promise<void> {
	try {
		const readRecord = rule.createReader(log);
		for (let batch = await source.next(signal); batch !== undefined; batch = await source.next(signal)) {
			for (const record of batch.records) readRecord(record);
		}
	} finally {
		await source.close();
	}
}

/** Reads the sessions of a database with the rule's query for calls. */
async function readRows(
	{ path, updatedAt }: CallFile,
	rule: CallRule,
	{ sql, createRecord }: RecordQuery,
): Promise<AuditedSession[]> {
	const logs = new Map<string, { log: CallLog; push: (record: unknown) => void }>();
	for (const row of await queryDatabase(path, sql)) {
		const { push } = getOrInsert(logs, String(row.session_id), () => {
			const log = new CallLog(updatedAt);
			return { log, push: rule.createReader(log) };
		});
		push(createRecord(row));
	}
	return [...logs].map(([id, { log }]) => toSession(formatDatabasePath(path, id), log));
}

/** Reads the sessions of a database one after the other, for agents whose rule has no query for calls. */
async function readDatabaseSessions(
	file: CallFile,
	rule: CallRule,
	signal?: AbortSignal,
): Promise<AuditedSession[]> {
	const [home] = file.agent.databases ?? [];
	if (home === undefined) return [];
	const sessions: AuditedSession[] = [];
	for (const { id } of await queryDatabase(file.path, `select id from (${home.sessionsSql})`)) {
		const path = formatDatabasePath(file.path, String(id));
		const log = new CallLog(file.updatedAt);
		await readWhole(await openSource(path), rule, log, signal);
		sessions.push(toSession(path, log));
	}
	return sessions;
}

/** What reading a file needs in addition to the file. */
export interface CallReadContext {
	signal: AbortSignal | undefined;
	lines: MarkedLineReader;
	/** Reads recordings; undefined if there are none. */
	readRecording: ReadRecording | undefined;
}

/** Reads the calls of all sessions in a file; a database has several sessions. Fails with `FileUnreadable`. */
export async function readCallFile(file: CallFile, context: CallReadContext): Promise<AuditedSession[]> {
	try {
		return await readSessions(file, context);
	} catch (error) {
		// Errors of SQLite have no code.
		if (!file.isDatabase && errorCode(error) === '') throw error;
		throw toUnreadableFailure(file.path, error);
	}
}

async function readSessions(file: CallFile, context: CallReadContext): Promise<AuditedSession[]> {
	const { signal, readRecording } = context;
	const { path, agent, updatedAt } = file;
	const rule = findCallRule(agent);
	if (file.isDatabase)
		return rule.query ? readRows(file, rule, rule.query) : readDatabaseSessions(file, rule, signal);
	const log = new CallLog(updatedAt);
	const original = file.original ?? path;
	const [, name] = subAgentFilePattern.exec(basename(original)) ?? [];
	if (name !== undefined && agent.subAgents?.findParentSessionId(original, name))
		log.setFacts({ subAgent: name });
	const recordingId = parseRecordingPath(path);
	if (recordingId !== undefined && readRecording !== undefined) {
		await readWhole(createRecordingSource(recordingId, readRecording), rule, log, signal);
		return [toSession(path, log)];
	}
	const isRead = rule.marks !== undefined && (await readMarkedLines(path, rule, log, context));
	if (!isRead) await readWhole(await openSource(path), rule, log, signal);
	return [toSession(path, log)];
}
