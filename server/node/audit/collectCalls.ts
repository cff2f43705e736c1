/** Collects the calls of models from all transcripts on this machine. */

import type { CallQuery, CollectedCalls, SessionCalls } from '../../core/cost/audit/audit.ts';
import { Failure } from '../../core/failure.ts';
import { agents } from '../../core/transcript/agents.ts';
import type { Agent } from '../../core/transcript/reading/agent.ts';
import type { AgentEnvironment } from '../transcript/discover/agentEnvironment.ts';
import { folderNames } from '../transcript/discover/listing.ts';
import { CallCache } from './callCache.ts';
import { type CallFile, findCallFiles } from './callFiles.ts';
import { MarkedLines } from './markedLines.ts';
import { type ReadSession, readCallFile } from './readCallFile.ts';
import { findRecordedCalls, type RecordedTranscripts } from './recordedCalls.ts';

/** Returns the files with calls of an agent. A folder is searched both as given and with symbolic links resolved. */
async function findFiles(
	agent: Agent,
	machine: AgentEnvironment,
	folder: string | undefined,
): Promise<CallFile[]> {
	const names = folder === undefined ? [undefined] : await folderNames(folder);
	const listed = await Promise.all(names.map((name) => findCallFiles(agent, machine, name)));
	return [...new Map(listed.flat().map((file) => [file.path, file])).values()];
}

/**
 * Returns the calls in all transcripts. The first time reads the transcripts at several hundred megabytes a second;
 * later times read only files whose size or time changed.
 *
 * @param recordings of transcripts that agents deleted or rewrote; absent: none
 */
export async function collectCalls(
	{ since, agents: only, folder, onProgress, signal }: CallQuery,
	machine: AgentEnvironment,
	stateFolder: string,
	recordings?: RecordedTranscripts,
): Promise<CollectedCalls> {
	const audited = agents.filter(({ name }) => only === undefined || only.includes(name));
	const found = await Promise.all(audited.map((agent) => findFiles(agent, machine, folder)));
	const cache = await CallCache.open(stateFolder);
	const collected: CollectedCalls = { sessions: [], unreadable: [] };
	const recorded = recordings ? await recordedFiles(recordings, since, collected.unreadable) : [];
	const files = [...found.flat(), ...recorded.filter(({ agent }) => audited.includes(agent))];
	// Only a search of all folders and agents shows which files were removed.
	if (only === undefined && folder === undefined) {
		const existing = new Set(files.map(({ path }) => path));
		for (const path of cache.paths) if (!existing.has(path)) cache.delete(path);
	}
	const recent = files.filter(({ updatedAt }) => updatedAt >= since);
	const total = recent.reduce((sum, { size }) => sum + size, 0);
	const lines = new MarkedLines();
	let done = 0;
	for (const file of recent) {
		signal?.throwIfAborted();
		const read = (): Promise<ReadSession[]> =>
			readCallFile(file, { signal, lines, readRecording: recordings?.read });
		const sessions = await sessionsOf(file, cache, { read, unreadable: collected.unreadable });
		for (const session of sessions) {
			if (session.calls.length > 0) collected.sessions.push({ ...session, ...placeOf(file) });
		}
		done += file.size;
		onProgress?.(done, total);
	}
	const uncached = await failureOfSave(cache.save());
	return { ...collected, ...(uncached !== undefined && { uncached }) };
}

/** Returns why a cache could not be written; undefined if it was. The audit is complete in any case. */
async function failureOfSave(saved: Promise<void>): Promise<string | undefined> {
	try {
		await saved;
		return undefined;
	} catch (error) {
		if (error instanceof Failure && error.kind === 'StorageFailed') return error.message;
		throw error;
	}
}

/** The recordings with calls of their own; none, and a problem, if the daemon does not answer. */
async function recordedFiles(
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

function placeOf({ agent, folder }: CallFile): Pick<SessionCalls, 'agent' | 'folder'> {
	return { agent: agent.name, ...(folder !== undefined && { folder }) };
}

/** The sessions of a file, from the cache if it did not change; none if it cannot be read. */
async function sessionsOf(
	file: CallFile,
	cache: CallCache,
	{ read, unreadable }: { read(): Promise<ReadSession[]>; unreadable: string[] },
): Promise<ReadSession[]> {
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
