import { stat } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { errorCode } from '../../../core/failure.ts';
import { pickDefined } from '../../../core/shape.ts';
import { type Agent, agents, findAgentLabel, isWithin } from '../../../core/transcript/index.ts';
import type { Transcript } from '../../../protocol/transcript.ts';
import type { Logger } from '../../../session/ports.ts';
import { mapInBatches } from '../../disk/mapInBatches.ts';
import type { AgentEnvironment } from '../agentEnvironment.ts';
import { queryDatabase } from '../database.ts';
import { formatDatabasePath } from '../sessionDatabase.ts';
import { readTranscriptHead, type TranscriptHead } from './head.ts';
import { maxCandidates, resolveFolderNames, type TranscriptCandidate } from './listing.ts';
import { findDatabases, findTranscriptCandidates } from './walk.ts';

/** Maximum transcripts in one answer. */
const maxTranscripts = 100;
/** Maximum files that are inspected at the same time. */
const maxParallel = 16;
/** Maximum files whose heads are cached. */
const maxCachedHeads = 2_000;

interface FoundFile {
	candidate: TranscriptCandidate;
	size: number;
	updatedAt: number;
}

export type DiscoverTranscripts = (folder: string | undefined, signal?: AbortSignal) => Promise<Transcript[]>;

/**
 * Returns a function that finds at most a hundred transcripts of agents that worked in a folder or below it, newest first.
 *
 * Without a folder, finds transcripts of all folders. Reads only the start of a file, and again only after a change. Skips
 * unreadable files.
 */
export function createDiscovery(machine: AgentEnvironment, logger: Logger): DiscoverTranscripts {
	const heads = new LRUCache<string, { state: string; head: TranscriptHead | null }>({ max: maxCachedHeads });

	const readHead = async ({
		candidate: { path },
		size,
		updatedAt,
	}: FoundFile): Promise<TranscriptHead | null> => {
		const state = `${size}:${updatedAt}`;
		const cached = heads.get(path);
		if (cached?.state === state) return cached.head;
		const head = (await ignoreUnreadable(readTranscriptHead(path))) ?? null;
		heads.set(path, { state, head });
		return head;
	};

	const ignoreUnreadable = async <T>(task: Promise<T>): Promise<T | undefined> => {
		try {
			return await task;
		} catch (error) {
			if (errorCode(error) !== 'ENOENT') logger.debug(`skipping a transcript: ${error}`);
			return undefined;
		}
	};

	const inspectFile = async (candidate: TranscriptCandidate): Promise<FoundFile | undefined> => {
		const stats = await ignoreUnreadable(stat(candidate.path));
		if (!stats?.isFile() || stats.size === 0) return undefined;
		return { candidate, size: stats.size, updatedAt: Math.round(stats.mtimeMs) };
	};

	const describeIfWanted = async (
		file: FoundFile,
		folders: readonly string[] | undefined,
	): Promise<Transcript | undefined> => {
		const head = await readHead(file);
		if (head === null) return undefined;
		const { path, belongsToFolder } = file.candidate;
		const isWanted =
			folders === undefined ||
			belongsToFolder ||
			folders.some((one) => head.folders.some((folder) => isWithin(folder, one)));
		if (!isWanted) return undefined;
		const { agent, title, startedAt, copyOf } = head;
		const lastActivityAt = head.lastActivityAt && Math.min(head.lastActivityAt, file.updatedAt);
		const label = findAgentLabel(agent);
		return {
			path,
			agent,
			label,
			...(title !== undefined && { title }),
			size: file.size,
			updatedAt: file.updatedAt,
			...pickDefined({ lastActivityAt, startedAt, copyOf }),
		};
	};

	return async (folder, signal) => {
		const folders = folder === undefined ? undefined : await resolveFolderNames(folder);
		const transcripts: Transcript[] = [];
		for (const agent of agents) {
			transcripts.push(...((await ignoreUnreadable(listDatabaseSessions(agent, machine, folders))) ?? []));
			const candidateLists = await Promise.all(
				(agent.homes ?? []).flatMap((home) =>
					(folders ?? [undefined]).map((one) => findTranscriptCandidates(home, machine, one)),
				),
			);
			const candidates = new Map(candidateLists.flat().map((candidate) => [candidate.path, candidate]));
			const files = await mapInBatches([...candidates.values()], maxParallel, inspectFile, signal);
			const newest = files.sort((a, b) => b.updatedAt - a.updatedAt).slice(0, maxCandidates);
			const describe = (one: FoundFile) => describeIfWanted(one, folders);
			transcripts.push(...(await mapInBatches(newest, maxParallel, describe, signal)));
		}
		return transcripts.sort((a, b) => findLastActivity(b) - findLastActivity(a)).slice(0, maxTranscripts);
	};
}

/** Returns when an agent worked last: the time of the last record, because a copied file is newer than its records. */
function findLastActivity({ lastActivityAt, updatedAt }: Transcript): number {
	return lastActivityAt ?? updatedAt;
}

/** Maximum sessions of a database that are considered, newest first. */
const maxSessions = 400;

/** Returns the sessions in an agent's databases that worked in one of `folders` or below. */
async function listDatabaseSessions(
	{ name, label, databases = [] }: Agent,
	machine: AgentEnvironment,
	folders: readonly string[] | undefined,
): Promise<Transcript[]> {
	const sessionLists = await Promise.all(
		databases.map(async (home) => {
			const files = await findDatabases(home, machine);
			return Promise.all(
				files.map((file) => listOwnerSessions({ agent: name, label }, file, home.sessionsSql, folders)),
			);
		}),
	);
	return sessionLists.flat(2);
}

async function listOwnerSessions(
	owner: Pick<Transcript, 'agent' | 'label'>,
	file: string,
	sql: string,
	folders: readonly string[] | undefined,
): Promise<Transcript[]> {
	const rows = await queryDatabase(file, `${sql} limit ${maxSessions}`);
	return rows.flatMap(({ id, title, folder, updated, size }) => {
		if (folders !== undefined && !folders.some((one) => isWithin(String(folder), one))) return [];
		return [
			{
				path: formatDatabasePath(file, String(id)),
				...owner,
				...(typeof title === 'string' && title !== '' && { title }),
				size: Number(size),
				updatedAt: Number(updated),
			},
		];
	});
}
