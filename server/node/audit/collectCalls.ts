/** Collects the calls of models from all transcripts on this machine. */

import type { CallQuery, CollectedCalls, SessionCalls } from '../../core/cost/audit/audit.ts';
import { Failure } from '../../core/failure.ts';
import { type Agent, agents } from '../../core/transcript/index.ts';
import type { AgentEnvironment } from '../transcript/agentEnvironment.ts';
import { resolveFolderNames } from '../transcript/discover/listing.ts';
import { CallCache } from './callCache.ts';
import { type CallFile, findCallFiles } from './callFiles.ts';
import { MarkedLineReader } from './markedLines.ts';
import { type AuditedSession, readCallFile } from './readCallFile.ts';
import { findRecordedCalls, type RecordedTranscripts } from './recordedCalls.ts';

/** Returns the files with calls of an agent. Searches a folder both as given and with symbolic links resolved. */
async function findFiles(
	agent: Agent,
	machine: AgentEnvironment,
	folder: string | undefined,
): Promise<CallFile[]> {
	const names = folder === undefined ? [undefined] : await resolveFolderNames(folder);
	const fileLists = await Promise.all(names.map((name) => findCallFiles(agent, machine, name)));
	return [...new Map(fileLists.flat().map((file) => [file.path, file])).values()];
}

/**
 * Returns the calls in all transcripts. The first run reads transcripts at several hundred megabytes a second; later runs read
 * only files whose size or time has changed.
 *
 * @param recordings recordings of transcripts that agents deleted or rewrote; if absent, only transcripts are read
 */
export async function collectCalls(
	{ since, agents: only, folder, onProgress, signal }: CallQuery,
	machine: AgentEnvironment,
	stateFolder: string,
	recordings?: RecordedTranscripts,
): Promise<CollectedCalls> {
	const auditedAgents = agents.filter(({ name }) => only === undefined || only.includes(name));
	const fileLists = await Promise.all(auditedAgents.map((agent) => findFiles(agent, machine, folder)));
	const cache = await CallCache.open(stateFolder);
	const collected: CollectedCalls = { sessions: [], unreadable: [] };
	const recorded = recordings ? await findRecordings(recordings, since, collected.unreadable) : [];
	const files = [...fileLists.flat(), ...recorded.filter(({ agent }) => auditedAgents.includes(agent))];
	// Only a search of all folders and agents shows which files were removed.
	if (only === undefined && folder === undefined) {
		const existing = new Set(files.map(({ path }) => path));
		for (const path of cache.paths) if (!existing.has(path)) cache.delete(path);
	}
	const recent = files.filter(({ updatedAt }) => updatedAt >= since);
	const total = recent.reduce((sum, { size }) => sum + size, 0);
	const lines = new MarkedLineReader();
	let doneBytes = 0;
	for (const file of recent) {
		signal?.throwIfAborted();
		const read = (): Promise<AuditedSession[]> =>
			readCallFile(file, { signal, lines, readRecording: recordings?.read });
		const sessions = await readThroughCache(file, cache, { read, unreadable: collected.unreadable });
		for (const session of sessions) {
			if (session.calls.length > 0) collected.sessions.push({ ...session, ...describeOrigin(file) });
		}
		doneBytes += file.size;
		onProgress?.(doneBytes, total);
	}
	const saveProblem = await findSaveProblem(cache.save());
	return { ...collected, ...(saveProblem !== undefined && { cacheProblem: saveProblem }) };
}

/** Waits until a cache is written. Returns the error instead of throwing it: the audit is complete without the cache. */
async function findSaveProblem(saving: Promise<void>): Promise<string | undefined> {
	try {
		await saving;
		return undefined;
	} catch (error) {
		if (error instanceof Failure && error.kind === 'StorageFailed') return error.message;
		throw error;
	}
}

/** Returns the recordings to read. If the daemon does not answer, returns none and adds its error to `problems`. */
async function findRecordings(
	recordings: RecordedTranscripts,
	since: number,
	problems: string[],
): Promise<CallFile[]> {
	try {
		return await findRecordedCalls(recordings, since);
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		problems.push(error.message);
		return [];
	}
}

function describeOrigin({ agent, folder }: CallFile): Pick<SessionCalls, 'agent' | 'folder'> {
	return { agent: agent.name, ...(folder !== undefined && { folder }) };
}

/** Returns the sessions of a file, from the cache if the file has not changed; none if the file cannot be read. */
async function readThroughCache(
	file: CallFile,
	cache: CallCache,
	{ read, unreadable }: { read(): Promise<AuditedSession[]>; unreadable: string[] },
): Promise<AuditedSession[]> {
	const cached = cache.get(file);
	if (cached !== undefined) return cached;
	try {
		const sessions = await read();
		cache.set(file, sessions);
		return sessions;
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		unreadable.push(error.message);
		return [];
	}
}
