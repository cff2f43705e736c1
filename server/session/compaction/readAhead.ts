/**
 * Reads messages for a coming compaction in advance, while the process is idle.
 *
 * Reading in advance makes the compaction faster and does not change its result.
 */

import { collectOutcomes } from '../../core/analysis/calls/outcomes.ts';
import {
	type AnalysisCache,
	getFileAccess,
	getWordHashes,
	type MessageAnalyses,
} from '../../core/analysis/message/analyses.ts';
import type { FactIndex } from '../../core/analysis/message/factIndex.ts';
import { collectLineKeys } from '../../core/analysis/message/lineKeys.ts';
import type { Source } from '../../core/analysis/message/source.ts';
import { collectCandidates } from '../../core/analysis/passages/candidates.ts';
import { findFacts } from '../../core/analysis/text/scan.ts';
import { collectRules } from '../../core/analysis/user/rules.ts';
import { findUndoneWork } from '../../core/analysis/user/userStatements.ts';
import { workLimits } from '../../core/compact/tuning.ts';
import type { Row } from '../../core/history/row.ts';
import type { State } from '../../core/history/state.ts';
import { computeUsageRatio } from '../../core/models/budget.ts';
import { itemsPerSlice, runToEnd, type SlicedTask } from '../../core/slices.ts';
import { ensureAnalyses, evictOldAnalyses } from '../analysisCache.ts';
import { readRowMessages } from '../bodies.ts';
import { readContextUsage } from '../contextUsage.ts';
import { runInSlices } from '../services.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../store/store.ts';
import { addToAnalyses, estimateRowLength, isRowRead, locateFirstAnswer } from './sourceReader.ts';
import { idleDelayMs, readAheadLimits, readAheadShare, readAheadTailUnits, restartShare } from './tuning.ts';

/** Tells a reader when it may read messages in advance. */
export interface IdleMonitor {
	/** Resolves when no request is waiting. */
	waitUntilIdle(): Promise<void>;
	/** Whether the session is still open. */
	isOpen(): boolean;
}

/** Whether contextd will soon compact a session because its window fills up. */
export async function isCompactionNear(session: Session): Promise<boolean> {
	if (!session.journal || session.brokenBy) return false;
	const { agent, meterReading, budget, settings } = await readContextUsage(session, session.client);
	if (agent !== undefined) return false;
	const { tokenThreshold } = settings;
	const dueShare =
		tokenThreshold > 0 ? tokenThreshold / Math.max(1, budget.available) : budget.thresholds.compact;
	return computeUsageRatio(meterReading.tokens, budget.available) >= readAheadShare * dueShare;
}

/**
 * Returns the rows that a compaction would read, in order: the newest rows, and older rows of users.
 *
 * Includes visible rows and rows that summaries replaced.
 */
function* selectRowsToRead({ view, rows }: State): SlicedTask<Row[]> {
	const selectedRows: Row[] = [];
	let newest = workLimits.maxReadLength.newest + readAheadTailUnits;
	let { users } = workLimits.maxReadLength;
	let visitedRows = 0;
	for (let index = view.length - 1; index >= 0 && users > 0; index--) {
		const { from, to } = view[index] ?? { from: 0, to: 0 };
		for (let seq = to - 1; seq >= from && users > 0; seq--) {
			if (++visitedRows % itemsPerSlice === 0) yield;
			const row = rows[seq];
			if (!row) continue;
			if (newest > 0) newest -= estimateRowLength(row);
			else if (row.role === 'user') users -= estimateRowLength(row);
			else continue;
			selectedRows.push(row);
		}
	}
	return selectedRows.reverse();
}

/** Returns the next portion of rows that were not read yet, and the index after it. */
function selectPortion(
	rows: readonly Row[],
	index: number,
	analyses: MessageAnalyses,
): { portion: Row[]; next: number } {
	const portion: Row[] = [];
	let chars = 0;
	let next = index;
	for (
		;
		next < rows.length && portion.length < readAheadLimits.items && chars < readAheadLimits.units;
		next++
	) {
		const row = rows[next];
		if (!row || isRowRead(analyses, row)) continue;
		portion.push(row);
		chars += estimateRowLength(row);
	}
	return { portion, next };
}

/** Returns the index of the first row from `from` on that is not a tool result. */
function skipToolResults(rows: readonly Row[], from: number): number {
	let index = from;
	while (rows[index]?.role === 'tool') index++;
	return index;
}

/**
 * Reads what a compaction of a session would need, in portions.
 *
 * Stops when everything is read, a compaction begins, or the session is closed. Rejects if messages cannot be read.
 */
export async function readAhead(session: Session, { waitUntilIdle, isOpen }: IdleMonitor): Promise<void> {
	const { analysisCache } = session;
	const isOurs = (): boolean => isOpen() && !analysisCache.isInUse;
	const rows = await runInSlices(selectRowsToRead(session.state), { pause: waitUntilIdle });
	await waitUntilIdle();
	if (!isOurs()) return;
	if ((analysisCache.analyses?.textLength ?? 0) > restartShare * workLimits.maxCachedLength)
		analysisCache.analyses = undefined;
	const analyses = ensureAnalyses(analysisCache);
	locateFirstAnswer(analyses, session.state.rows);
	for (let index = 0; index < rows.length; ) {
		const { portion, next } = selectPortion(rows, index, analyses);
		index = next;
		if (portion.length === 0) break;
		const messages = await readRowMessages(session, portion);
		await waitUntilIdle();
		// A compaction may have begun meanwhile, and the cache must not change during a compaction.
		if (!isOurs() || analysisCache.analyses !== analyses) return;
		for (const [position, row] of portion.entries()) {
			const resolved = messages[position];
			if (resolved) addToAnalyses(analyses, row, resolved.message);
		}
		// Includes rows of the previous portions, since they may have the call of a result.
		const context = rows.slice(skipToolResults(rows, Math.max(0, index - 2 * readAheadLimits.items)), index);
		warmAnalyses(
			context.flatMap(({ seq }) => analyses.sources.get(seq) ?? []),
			analyses.cache,
			analyses.factIndex,
		);
	}
	evictOldAnalyses(analysisCache);
}

/**
 * Creates a reader that reads ahead for all open sessions of a store, one after the other.
 * @param getIdleMs returns the milliseconds since a request last waited; 0 while a request waits
 */
export function createBackgroundReader(store: SessionStore, getIdleMs: () => number) {
	const { services } = store;
	const waitingIds = new Set<string>();
	const controller = new AbortController();
	let timer: ReturnType<typeof setTimeout> | undefined;
	let isReading = false;

	async function waitUntilIdle(): Promise<void> {
		await services.pause();
		for (let since = getIdleMs(); since < idleDelayMs; since = getIdleMs())
			await services.wait(idleDelayMs - since, controller.signal);
	}

	async function read(session: Session): Promise<void> {
		const isOpen = (): boolean => !controller.signal.aborted && store.listOpen().includes(session);
		try {
			if (await isCompactionNear(session)) await readAhead(session, { waitUntilIdle, isOpen });
		} catch (error) {
			// A session that was closed meanwhile need not be read.
			if (isOpen() && !session.brokenBy)
				services.log.warn(`could not read session "${session.id}" ahead: ${error}`);
		}
	}

	async function readAll(): Promise<void> {
		isReading = true;
		for (const id of waitingIds) {
			waitingIds.delete(id);
			const session = store.listOpen().find((one) => one.id === id);
			if (session) await read(session);
		}
		isReading = false;
	}

	return {
		/** Schedules a session that has changed. */
		schedule(sessionId: string): void {
			if (controller.signal.aborted) return;
			waitingIds.add(sessionId);
			timer?.refresh();
			timer ??= setTimeout(() => {
				if (!isReading) void readAll();
			}, idleDelayMs).unref();
		},
		stop(): void {
			clearTimeout(timer);
			controller.abort(new Error('the daemon ends'));
		},
	};
}

/**
 * Adds to `cache` the analyses that a session's summary needs. The messages must be consecutive and in order.
 * Skips messages that were analysed before.
 */
function warmAnalyses(sources: readonly Source[], cache: AnalysisCache, factIndex: FactIndex): void {
	const { lineKeys } = cache;
	for (const source of sources) {
		if (!lineKeys.has(source)) lineKeys.set(source, collectLineKeys(source));
		getWordHashes(cache, source);
		for (const call of source.calls) getFileAccess(cache, call);
	}
	collectRules(sources, cache);
	const outcomes = runToEnd(collectOutcomes(sources, cache));
	for (const { candidate } of runToEnd(
		collectCandidates(sources, {
			outcomes,
			undone: findUndoneWork(sources),
			unread: new Set(),
			cache,
		}),
	))
		candidate.facts ??= findFacts(factIndex.facts, candidate.text);
}
