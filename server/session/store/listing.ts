/** What sessions there are. */

import { LRUCache } from 'lru-cache';
import { errorText } from '../../core/failure.ts';
import { asUri, placeOf } from '../../core/files/folder.ts';
import { emptyState, type State } from '../../core/history/state.ts';
import { present } from '../../core/shape.ts';
import type { ListParams, SessionSummary } from '../../protocol/session.ts';
import type { JournalEntry } from '../ports.ts';
import type { World } from '../world.ts';
import { createReplay } from './replay.ts';

function summaryOf(state: State, entry: JournalEntry): SessionSummary {
	const { info } = state;
	return {
		sessionId: entry.sessionId,
		...(info.workspace !== undefined && { workspace: asUri(info.workspace) }),
		...(info.title !== undefined && { title: info.title }),
		messageCount: state.view.length,
		createdAt: info.createdAt,
		updatedAt: Math.max(state.updatedAt, info.createdAt),
		provider: info.provider,
		model: info.model,
		...present({ source: info.source, transcript: info.transcript }),
	};
}

/** What a journal of that size and age came to. */
interface Folded extends Pick<JournalEntry, 'size' | 'modifiedAt'> {
	summary: SessionSummary | null;
}

/** Journals whose summary is kept. */
const mostFolded = 10_000;

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
			const { take, mend } = createReplay(world, entry.sessionId, state);
			await world.journals.scan(entry.sessionId, take, mend);
		} catch (error) {
			world.log.warn(`session "${entry.sessionId}" is not listed: ${errorText(error)}`);
			return null;
		}
		return state.version === 0 ? null : summaryOf(state, entry);
	}

	async function summarize(entry: JournalEntry): Promise<SessionSummary | null> {
		const { sessionId, size, modifiedAt } = entry;
		const state = open(sessionId);
		if (state) return summaryOf(state, entry);
		const known = folded.get(sessionId);
		if (known?.size === size && known.modifiedAt === modifiedAt) return known.summary;
		const summary = await fold(entry);
		folded.set(sessionId, { size, modifiedAt, summary });
		return summary;
	}

	return async ({ workspace, sessionId: family } = {}) => {
		const place = workspace === undefined ? undefined : placeOf(workspace);
		const found: SessionSummary[] = [];
		for (const entry of await world.journals.list()) {
			if (family !== undefined && !`${entry.sessionId}/`.startsWith(`${family}/`)) continue;
			const summary = await summarize(entry);
			const isWanted =
				place === undefined || (summary?.workspace !== undefined && placeOf(summary.workspace) === place);
			if (summary && isWanted) found.push(summary);
		}
		return found.sort((a, b) => b.updatedAt - a.updatedAt);
	};
}
