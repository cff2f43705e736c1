/** Erases sessions from everything that contextd stores. */

import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
import { Failure, ifExists } from '../../core/failure.ts';
import { listPluginSessions } from '../../core/transcript/index.ts';
import type { RecorderForgetParams, RecorderForgetResult } from '../../protocol/recorder.ts';
import type { SessionSummary } from '../../protocol/session.ts';
import { accessDisk } from '../disk/durableFile.ts';
import { savedOutputPattern } from '../files/savedOutputs.ts';
import { getViewPath, getViewsFolder } from '../heldViews.ts';
import { getJournalPath, getSessionsFolder } from '../journal/folder.ts';
import { findFilesContaining, findMatches, listStoredForms } from './searchFiles.ts';

/** Access to the places from which sessions are erased. */
export interface ForgetAccess {
	stateFolder: string;
	/** The recorder's thread, which erases from the archive. */
	recorder: { ask<Result>(method: string, params: object): Promise<Result> };
	/** The sessions with journals in the state folder. */
	sessions: { list(): Promise<SessionSummary[]>; delete(sessionId: string): Promise<void> };
}

/** Records that the recorder erases, and the names of saved outputs that these records mention. */
export interface ErasedRecords extends Pick<RecorderForgetResult, 'sessions' | 'entries'> {
	outputs: string[];
}

/** contextd's own copies of the sessions to erase. */
interface OwnCopies {
	stored: SessionSummary[];
	/** Paths of all files except the journals of `stored`. */
	files: Set<string>;
}

const emptyRecords: ErasedRecords = { sessions: [], entries: 0, outputs: [] };

/**
 * Erases one session, or everything that contains a text: records in the archive and its index, stored sessions, held views of
 * plugins, saved outputs, file summaries and cached audits. With `dryRun`, only reports what would be erased. Fails with
 * `SessionNotFound` if no session matches `recordingId`.
 */
export async function eraseSessions(
	params: RecorderForgetParams,
	access: ForgetAccess,
): Promise<RecorderForgetResult> {
	const { recordingId: name, containing, dryRun = false } = params;
	const records = await eraseRecords({ ...params, dryRun: true }, access);
	const copies =
		name === undefined
			? await findCopiesContaining(containing ?? '', access)
			: await findCopies(name, records, access);
	if (name !== undefined && records === emptyRecords && copies.stored.length === 0)
		throw new Failure('SessionNotFound', `no recorded or stored session "${name}"`, { name });
	if (!dryRun) {
		for (const { sessionId } of copies.stored) await access.sessions.delete(sessionId);
		for (const file of copies.files) await accessDisk('remove', file, () => rm(file, { force: true }));
		if (containing !== undefined) await eraseFromLog(containing, access.stateFolder);
		if (records !== emptyRecords) await access.recorder.ask('forget', params);
	}
	return {
		sessions: records.sessions,
		entries: records.entries,
		stored: copies.stored.map(({ sessionId, title, messageCount }) => ({ sessionId, title, messageCount })),
		files: copies.files.size,
		remaining: await filterExisting([
			...records.sessions.map(({ path }) => path),
			...copies.stored.flatMap(({ transcript }) => transcript ?? []),
		]),
	};
}

async function eraseRecords(
	params: RecorderForgetParams,
	{ recorder }: ForgetAccess,
): Promise<ErasedRecords> {
	try {
		return await recorder.ask<ErasedRecords>('forget', params);
	} catch (error) {
		if (error instanceof Failure && error.kind === 'SessionNotFound') return emptyRecords;
		throw error;
	}
}

/** Returns contextd's copies of one session, found by its name and its recording. */
async function findCopies(
	name: string,
	{ sessions, outputs }: ErasedRecords,
	{ stateFolder, sessions: store }: ForgetAccess,
): Promise<OwnCopies> {
	const paths = [...sessions.map(({ path }) => path), ...(isAbsolute(name) ? [name] : [])];
	const pluginSessionIds = new Set(
		paths.flatMap((path) => listPluginSessions(path).map(({ sessionId }) => sessionId)),
	);
	const storedSessions = (await store.list()).filter(
		({ sessionId, transcript = '' }) =>
			sessionId === name || paths.includes(transcript) || pluginSessionIds.has(sessionId.split('/')[0] ?? ''),
	);
	const names = new Set(outputs);
	const files = new Set<string>();
	for (const { sessionId } of storedSessions) {
		const journal = getJournalPath(stateFolder, sessionId);
		for (const output of (await ifExists(findMatches(journal, savedOutputPattern))) ?? []) names.add(output);
		for (const file of await findSideFiles(journal, getSessionsFolder(stateFolder))) files.add(file);
		for (const file of await findSideFiles(getViewPath(stateFolder, sessionId), getViewsFolder(stateFolder)))
			files.add(file);
	}
	for (const output of await filterExisting(Array.from(names, (one) => join(stateFolder, 'outputs', one))))
		files.add(output);
	// A cache of audits covers all sessions, and is removed as a whole: the next audit computes it again.
	const forms = [name, ...paths].flatMap(listStoredForms);
	for (const file of await findFilesContaining(join(stateFolder, 'audit'), forms)) files.add(file);
	return { stored: storedSessions, files };
}

/** Returns the paths of a session's file, drafts and damaged copies, without its journal, which is deleted with the session. */
async function findSideFiles(path: string, folder: string): Promise<string[]> {
	const names = (await ifExists(readdir(folder))) ?? [];
	const isJournal = path.endsWith('.jsonl');
	return names
		.filter((name) => name.startsWith(`${basename(path)}.`) || (!isJournal && name === basename(path)))
		.map((name) => join(folder, name));
}

/** Returns contextd's copies of all sessions that contain a text. */
async function findCopiesContaining(
	text: string,
	{ stateFolder, sessions: store }: ForgetAccess,
): Promise<OwnCopies> {
	const forms = listStoredForms(text);
	const files = new Set<string>();
	for (const folder of ['sessions', 'views', 'outputs', 'file-summaries', 'audit']) {
		for (const file of await findFilesContaining(join(stateFolder, folder), forms)) files.add(file);
	}
	const storedSessions = (await store.list()).filter(({ sessionId }) =>
		files.delete(getJournalPath(stateFolder, sessionId)),
	);
	for (const { sessionId } of storedSessions) {
		for (const file of await findSideFiles(getViewPath(stateFolder, sessionId), getViewsFolder(stateFolder)))
			files.add(file);
	}
	return { stored: storedSessions, files };
}

/** Removes the lines of the daemon's log that contain a text. */
async function eraseFromLog(text: string, stateFolder: string): Promise<void> {
	const path = join(stateFolder, 'daemon.log');
	const forms = listStoredForms(text).map(String);
	await accessDisk('erase lines of', path, async () => {
		const log = (await ifExists(readFile(path, 'utf8'))) ?? '';
		const isForgotten = (line: string): boolean => forms.some((form) => line.includes(form));
		const lines = log.split('\n');
		if (lines.some(isForgotten)) await writeFile(path, lines.filter((line) => !isForgotten(line)).join('\n'));
	});
}

/** Returns the distinct paths that exist. */
async function filterExisting(paths: readonly string[]): Promise<string[]> {
	const existing = await Promise.all(
		[...new Set(paths)].map(async (path) => {
			// The path of a session in a database is the database's path, a `#` and the session's id.
			const stats =
				(await stat(path).catch(() => undefined)) ??
				(await stat(path.replace(/#[^#]*$/, '')).catch(() => undefined));
			return stats === undefined ? [] : [path];
		}),
	);
	return existing.flat();
}
