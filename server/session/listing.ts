/** What sessions there are. */

import { LRUCache } from 'lru-cache';
import { evolve } from '../core/history/evolve.ts';
import type { JournalRecord } from '../core/history/record.ts';
import { emptyState, type State } from '../core/history/state.ts';
import type { SessionSummary } from '../protocol/session.ts';
import type { JournalEntry } from './ports.ts';
import type { SessionStore } from './store.ts';

function summaryOf(state: State, entry: JournalEntry): SessionSummary {
	const { info } = state;
	return {
		sessionId: entry.sessionId,
		...(info.workspace !== undefined && { workspace: info.workspace }),
		...(info.title !== undefined && { title: info.title }),
		messageCount: state.view.length,
		createdAt: info.createdAt,
		updatedAt: Math.max(state.updatedAt, info.createdAt),
		provider: info.provider,
		model: info.model,
		...(info.source !== undefined && { source: info.source }),
		...(info.transcript !== undefined && { transcript: info.transcript }),
	};
}

/** Folds a journal that nobody has open here; null where it cannot be read or holds nothing. O(records). */
async function foldEntry(store: SessionStore, entry: JournalEntry): Promise<SessionSummary | null> {
	const state = emptyState();
	try {
		await store.world.journals.scan(entry.sessionId, ({ value, bodies }) =>
			evolve(state, value as JournalRecord, bodies),
		);
	} catch (error) {
		store.world.log.warn(
			`session "${entry.sessionId}" is not listed: ${error instanceof Error ? error.message : error}`,
		);
		return null;
	}
	return state.version === 0 ? null : summaryOf(state, entry);
}

/** What a journal of that size and age came to. */
interface Folded extends Pick<JournalEntry, 'size' | 'modifiedAt'> {
	summary: SessionSummary | null;
}

/** Journals whose summary is kept. */
const mostFolded = 10_000;

const folded = new WeakMap<SessionStore, LRUCache<string, Folded>>();

function foldedIn(store: SessionStore): LRUCache<string, Folded> {
	const known = folded.get(store);
	if (known) return known;
	const made = new LRUCache<string, Folded>({ max: mostFolded });
	folded.set(store, made);
	return made;
}

async function summarize(store: SessionStore, entry: JournalEntry): Promise<SessionSummary | null> {
	const { sessionId, size, modifiedAt } = entry;
	const open = store.open().find((session) => session.id === sessionId);
	if (open) return summaryOf(open.state, entry);
	const known = foldedIn(store).get(sessionId);
	if (known?.size === size && known.modifiedAt === modifiedAt) return known.summary;
	const summary = await foldEntry(store, entry);
	foldedIn(store).set(sessionId, { size, modifiedAt, summary });
	return summary;
}

/** Two names of one folder. */
function isSameFolder(a: string | undefined, b: string): boolean {
	return a !== undefined && withoutEndingSlashes(a) === withoutEndingSlashes(b);
}

function withoutEndingSlashes(uri: string): string {
	let end = uri.length;
	while (uri.charAt(end - 1) === '/') end--;
	return uri.slice(0, end);
}

/** Every stored session, of one workspace where it is named, newest first. A journal that cannot be read is left out. */
export async function listSessions(store: SessionStore, workspace?: string): Promise<SessionSummary[]> {
	const found: SessionSummary[] = [];
	for (const entry of await store.world.journals.list()) {
		const summary = await summarize(store, entry);
		if (!summary || (workspace !== undefined && !isSameFolder(summary.workspace, workspace))) continue;
		found.push(summary);
	}
	return found.sort((a, b) => b.updatedAt - a.updatedAt);
}
