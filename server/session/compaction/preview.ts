/** Tries a compaction or an undo on a copy of a session. */

import { Failure } from '../../core/failure.ts';
import type { BodyRef } from '../../core/history/record.ts';
import type { Layer, State } from '../../core/history/state.ts';
import { findPluginAgent } from '../../core/transcript/index.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import type { StaleRead } from '../../protocol/stats.ts';
import type { ClientContext } from '../clientContext.ts';
import { readContextUsage } from '../contextUsage.ts';
import type { Journal } from '../ports.ts';
import { createSession, type Session } from '../session.ts';
import { undoStep } from '../steps.ts';
import { type CompactOptions, compactSession, type TaskContext } from './request.ts';

export interface Preview {
	/** What the compaction would do; null if the session has no messages. */
	result: CompactResult | null;
	/** The session after the compaction. */
	after: Session;
}

/**
 * Returns what a compaction would do now, by running it on a copy.
 *
 * The session may be read-only. Messages that arrive meanwhile are not included. No model is asked for a summary.
 */
export async function previewCompaction(
	session: Session,
	options: CompactOptions,
	context: TaskContext,
): Promise<Preview> {
	const after = createScratchCopy(session);
	const client = { ...context.client, askModel: undefined };
	const result = await compactSession(after, options, { ...context, client });
	return { result: result && { ...result, compactionId: undefined }, after };
}

/** Copies a state with its collections, so that later changes to the session do not affect the copy. O(rows). */
function copyState(state: State): State {
	const layers = [...state.layers].map(([no, layer]): [number, Layer] => {
		return [no, { ...layer, patches: layer.patches.map((patch) => ({ ...patch })) }];
	});
	return {
		...state,
		rows: [...state.rows],
		units: [...state.units],
		// Shared, because copying a million entries takes long. Later entries only point to rows that the copy lacks.
		index: state.index,
		unansweredCalls: new Map([...state.unansweredCalls].map(([call, rows]) => [call, [...rows]])),
		layers: new Map(layers),
		activeLayers: new Set(state.activeLayers),
		steps: [...state.steps],
		undoneStepIds: new Set(state.undoneStepIds),
		pins: new Set(state.pins),
		pinnedUris: new Set(state.pinnedUris),
		checkpoints: new Map(state.checkpoints),
		announcedReads: [...state.announcedReads],
		view: [...state.view],
		totals: structuredClone(state.totals),
		largest: [...state.largest],
		meter: structuredClone(state.meter),
		usagePoints: [...state.usagePoints],
		appends: [...state.appends],
	};
}

/** Creates a journal that stores additions in memory, at offsets that the session's journal never uses. */
function createScratchJournal(reader: Session['reader']): Journal {
	const addedTexts = new Map<number, string>();
	let offset = Number.MAX_SAFE_INTEGER;
	return {
		size: 0,
		append(_value, bodies) {
			const refs = bodies.map((text): BodyRef => {
				addedTexts.set(--offset, text);
				return { offset, length: text.length, crc: 0 };
			});
			return { bodies: refs, durable: Promise.resolve() };
		},
		async read(refs) {
			const texts = await reader.read(refs.filter((ref) => !addedTexts.has(ref.offset)));
			let nextIndex = 0;
			return refs.map((ref) => addedTexts.get(ref.offset) ?? texts[nextIndex++]);
		},
		close: async () => {},
	};
}

/** Returns the file tracker of a scratch copy, which watches no files and lists the original session's stale reads. */
function createScratchFiles(session: Session): Pick<Session['services'], 'files'> {
	const { files } = session.services;
	if (!files) return {};
	const listStaleReads = (): StaleRead[] => files.listStaleReads(session);
	return { files: { sync: () => {}, syncInSlices: function* () {}, forget: () => {}, listStaleReads } };
}

/** Returns a copy of a session that can be changed without changing the session, which may be read-only. */
export function createScratchCopy(session: Session): Session {
	const journal = createScratchJournal(session.reader);
	return createSession({
		id: session.id,
		state: copyState(session.state),
		services: {
			...session.services,
			...createScratchFiles(session),
			events: { notifyChanged: () => {}, notifyCompacted: () => {}, notifyLeaving: () => {} },
		},
		getEstimator: session.getEstimator,
		client: session.client,
		// Bodies of the copy must not enter the cache under the session's id.
		bodies: null,
		// Session and copy share their rows, so analyses of rows apply to both.
		analysisCache: session.analysisCache,
		journal,
		reader: journal,
		runWhileOpen: (task) => task(),
	});
}

/**
 * Fails with `ContextBudgetExceeded` if an undo would make a plugin's session larger than the window. O(rows).
 *
 * The agent's next request would then be refused, and the agent could do nothing about it.
 */
export async function refuseTooLargeUndo(
	session: Session,
	client: ClientContext,
	compactionId?: string,
): Promise<void> {
	if (!findPluginAgent(session.id)) return;
	const after = createScratchCopy(session);
	await undoStep(after, client, compactionId);
	const { meterReading, budget } = await readContextUsage(after, client);
	if (meterReading.tokens <= budget.contextWindow) return;
	throw new Failure(
		'ContextBudgetExceeded',
		`after the undo the history would have about ${meterReading.tokens} tokens, but the window has ${budget.contextWindow}: nothing was changed; recall still finds what was removed`,
		{
			sessionId: session.id,
			estimated: meterReading.tokens,
			available: budget.contextWindow,
			breakdown: meterReading.breakdown,
		},
	);
}
