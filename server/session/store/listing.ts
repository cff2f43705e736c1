/** What sessions there are. */

import { LRUCache } from 'lru-cache';
import { errorText } from '../../core/failure.ts';
import { locationKey, toUri } from '../../core/files/folder.ts';
import { emptyState, isUnfinishedFork, type State } from '../../core/history/state.ts';
import { present } from '../../core/shape.ts';
import type { ListParams, SessionSummary } from '../../protocol/session.ts';
import type { JournalEntry } from '../ports.ts';
import type { World } from '../world.ts';
import { createReplay } from './replay.ts';

function summaryOf(state: State, entry: JournalEntry): SessionSummary {
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
		...present({ source: info.source, transcript: info.transcript }),
	};
}

/** What a journal of that size and age comes to. */
interface Folded extends Pick<JournalEntry, 'size' | 'modifiedAt'> {
	summary: Promise<SessionSummary | null>;
}

/** Journals whose summary is kept. */
const mostFolded = 10_000;

/**
 * Journals that are read together: each takes some turns, and one at a time as many of each as there are journals, which
 * beside other work may be long. Few, since each is an open file; and of a large one everything is held meanwhile.
 */
const together = { journals: 16, bytes: 4 * 1024 * 1024 };

/** Entries in their order, in groups that are read together. */
function* groups(entries: readonly JournalEntry[]): Generator<JournalEntry[]> {
	let group: JournalEntry[] = [];
	let bytes = 0;
	for (const entry of entries) {
		if (group.length > 0 && (group.length === together.journals || bytes + entry.size > together.bytes)) {
			yield group;
			group = [];
			bytes = 0;
		}
		group.push(entry);
		bytes += entry.size;
	}
	if (group.length > 0) yield group;
}

/**
 * Gives every stored session, or those that are wanted, newest first. A journal that cannot be read is left out; one
 * that has not changed since it was last looked at is not read again. `open` gives the state of a session that is open
 * here.
 */
export function createListing(
	world: World,
	open: (sessionId: string) => State | undefined,
): (wanted?: ListParams) => Promise<SessionSummary[]> {
	const folded = new LRUCache<string, Folded>({ max: mostFolded });

	/** Folds a journal that nobody has open here; null where it cannot be read or holds nothing. O(records). */
	async function fold(entry: JournalEntry): Promise<SessionSummary | null> {
		const state = emptyState();
		try {
			await world.journals.scan(entry.sessionId, createReplay(world, entry.sessionId, state));
		} catch (error) {
			world.log.warn(`session "${entry.sessionId}" is not listed: ${errorText(error)}`);
			// It may have been for lack of descriptors: the next one is to try again.
			folded.delete(entry.sessionId);
			return null;
		}
		return state.version === 0 || isUnfinishedFork(state) ? null : summaryOf(state, entry);
	}

	async function summarize(entry: JournalEntry): Promise<SessionSummary | null> {
		const { sessionId, size, modifiedAt } = entry;
		const state = open(sessionId);
		if (state) return summaryOf(state, entry);
		const known = folded.get(sessionId);
		if (known?.size === size && known.modifiedAt === modifiedAt) return known.summary;
		// Whoever lists meanwhile waits for the same reading.
		const summary = fold(entry);
		folded.set(sessionId, { size, modifiedAt, summary });
		return summary;
	}

	return async ({ workspace, sessionId: family } = {}) => {
		const place = workspace === undefined ? undefined : locationKey(workspace);
		const found: SessionSummary[] = [];
		const entries = (await world.journals.list()).filter(
			({ sessionId }) => family === undefined || `${sessionId}/`.startsWith(`${family}/`),
		);
		for (const group of groups(entries)) {
			for (const summary of await Promise.all(group.map(summarize))) {
				const isWanted =
					place === undefined ||
					(summary?.workspace !== undefined && locationKey(summary.workspace) === place);
				if (summary && isWanted) found.push(summary);
			}
		}
		return found.sort((a, b) => b.updatedAt - a.updatedAt);
	};
}
