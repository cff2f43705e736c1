/** Lists stored sessions. */

import { LRUCache } from 'lru-cache';
import { errorText } from '../../core/failure.ts';
import { createLocationKey, toUri } from '../../core/files/folder.ts';
import { createEmptyState, isUnfinishedFork, type State } from '../../core/history/state.ts';
import { pickDefined } from '../../core/shape.ts';
import type { ListParams, SessionSummary } from '../../protocol/session.ts';
import { splitPortions } from '../bodies.ts';
import type { JournalEntry } from '../ports.ts';
import type { SessionServices } from '../services.ts';
import { createReplay } from './replay.ts';

function createSummary(state: State, entry: JournalEntry): SessionSummary {
	const { info } = state;
	return {
		sessionId: entry.sessionId,
		...(info.workspace !== undefined && { workspace: toUri(info.workspace) }),
		...(info.title !== undefined && { title: info.title }),
		messageCount: state.view.length,
		createdAt: info.createdAt,
		updatedAt: Math.max(state.updatedAt, info.createdAt),
		provider: info.provider,
		model: info.model,
		...pickDefined({ source: info.source, transcript: info.transcript }),
	};
}

/** A summary of a journal, valid while the size and modification time of the file are unchanged. */
interface CachedSummary extends Pick<JournalEntry, 'size' | 'modifiedAt'> {
	summary: Promise<SessionSummary | null>;
}

/** Maximum number of cached summaries. */
const maxCachedSummaries = 10_000;

/**
 * Maximum journals (`items`), and their bytes (`units`), that are read at the same time.
 *
 * Each read takes several turns of the event loop, so one read at a time would be slow. The number is limited because
 * each journal is an open file, the bytes because journals are held in memory.
 */
const maxGroup = { items: 16, units: 4 * 1024 * 1024 };

/**
 * Returns a function that lists all stored sessions, or those that match its parameter, newest first.
 *
 * Leaves out unreadable journals. Does not read an unchanged journal again.
 * @param getOpenState returns the state of a session that is open in this process; undefined for others
 */
export function createListing(
	services: SessionServices,
	getOpenState: (sessionId: string) => State | undefined,
): (filter?: ListParams) => Promise<SessionSummary[]> {
	const summaries = new LRUCache<string, CachedSummary>({ max: maxCachedSummaries });

	/** Summarizes a journal that is not open in this process; null if it is unreadable or empty. O(records). */
	async function replay(entry: JournalEntry): Promise<SessionSummary | null> {
		const state = createEmptyState();
		try {
			await services.journals.scan(entry.sessionId, createReplay(services, entry.sessionId, state));
		} catch (error) {
			services.log.warn(`cannot list session "${entry.sessionId}": ${errorText(error)}`);
			// The failure may be temporary, such as a lack of file descriptors: the next call retries.
			summaries.delete(entry.sessionId);
			return null;
		}
		return state.version === 0 || isUnfinishedFork(state) ? null : createSummary(state, entry);
	}

	async function summarize(entry: JournalEntry): Promise<SessionSummary | null> {
		const { sessionId, size, modifiedAt } = entry;
		const state = getOpenState(sessionId);
		if (state) return createSummary(state, entry);
		const cachedSummary = summaries.get(sessionId);
		if (cachedSummary?.size === size && cachedSummary.modifiedAt === modifiedAt) return cachedSummary.summary;
		// Concurrent calls share the same replay.
		const summary = replay(entry);
		summaries.set(sessionId, { size, modifiedAt, summary });
		return summary;
	}

	return async ({ workspace, sessionId: family } = {}) => {
		const folder = workspace === undefined ? undefined : createLocationKey(workspace);
		const matchingSessions: SessionSummary[] = [];
		const entries = (await services.journals.list()).filter(
			({ sessionId }) => family === undefined || `${sessionId}/`.startsWith(`${family}/`),
		);
		for (const group of splitPortions(entries, ({ size }) => size, maxGroup)) {
			for (const summary of await Promise.all(group.map(summarize))) {
				const isWanted =
					folder === undefined ||
					(summary?.workspace !== undefined && createLocationKey(summary.workspace) === folder);
				if (summary && isWanted) matchingSessions.push(summary);
			}
		}
		return matchingSessions.sort((a, b) => b.updatedAt - a.updatedAt);
	};
}
