/** Renders a session's history in a provider's format, with tool calls paired with their results. */

import { readCompactedItems } from '../core/compactedItems.ts';
import { getFormatAdapter } from '../core/format/formats.ts';
import type { RenderEntry, RenderResult } from '../core/format/wire/adapter.ts';
import { type PairedEntry, type Pairing, pairCalls } from '../core/history/pairs.ts';
import type { Seq } from '../core/history/record.ts';
import { type Row, replacesSeveralRows, type Unit } from '../core/history/row.ts';
import type { State } from '../core/history/state.ts';
import { tagRows } from '../core/history/tags.ts';
import { listActiveLayers } from '../core/history/view.ts';
import {
	filterInSlices,
	flatMapInSlices,
	forEachInSlices,
	itemsPerSlice,
	mapInSlices,
	type SlicedTask,
} from '../core/slices.ts';
import type { FormatName, IdentifiedMessage } from '../protocol/conversation.ts';
import { describeDamage, type ResolvedMessage, readRowMessages } from './bodies.ts';
import { runInSlices, type SessionServices } from './services.ts';
import type { Session } from './session.ts';

export interface RenderedHistory extends RenderResult {
	repairs: Pick<Pairing, 'orphanedCallsFixed' | 'orphanedResultsFixed'>;
}

/** The parts of a session's state that rendering reads before its first pause. */
interface Snapshot extends Pick<State, 'view' | 'rows'> {
	isCompacted: boolean;
}

/** Explains why a call or a result is missing from a history. */
interface MissingHalves {
	/** The first call and the last result of each id if a compaction hides some; otherwise empty. */
	firstCalls: ReadonlyMap<string, Seq>;
	lastResults: ReadonlyMap<string, Seq>;
	/** The first visible message whose calls may still be running: only calls and results follow it. */
	firstRunningSeq: Seq;
}

/** Returns what explains the missing calls and results of a history. O(rows). */
function findMissingHalves({ view, rows, isCompacted }: Snapshot): MissingHalves {
	const [firstCalls, lastResults] = [new Map<string, Seq>(), new Map<string, Seq>()];
	for (const { seq, calls = [], answers } of isCompacted ? rows : []) {
		for (const { id } of calls) if (!firstCalls.has(id)) firstCalls.set(id, seq);
		if (answers !== undefined) lastResults.set(answers, seq);
	}
	let index = view.findLastIndex(({ row }) => row.role !== 'tool');
	while (view[index]?.row.calls && view[index - 1]?.row.calls) index--;
	return { firstCalls, lastResults, firstRunningSeq: view[index]?.from ?? 0 };
}

function createSyntheticResult(unit: Unit, call: number, missing: MissingHalves): IdentifiedMessage {
	const { id = '', name = '' } = unit.row.calls?.[call] ?? {};
	const { seq } = unit.row;
	const lost = seq >= missing.firstRunningSeq ? 'no result yet' : 'it never came';
	// Some agents give several calls the same id: a result before the call answers another one.
	const isHidden = (missing.lastResults.get(id) ?? -1) > seq;
	return {
		id: `synthetic-result-${unit.row.id}-${call}`,
		role: 'tool',
		toolCallId: id,
		toolName: name,
		isError: true,
		content: `[Tool result unavailable - ${isHidden ? 'conversation was compacted' : lost}]`,
		metadata: { synthetic: true, truncated: true },
	};
}

function createSyntheticCall(unit: Unit, { firstCalls }: MissingHalves): IdentifiedMessage {
	const name = unit.row.tool ?? 'unknown';
	const id = unit.row.answers ?? '';
	const isHidden = (firstCalls.get(id) ?? unit.row.seq) < unit.row.seq;
	return {
		id: `synthetic-call-${unit.row.id}`,
		role: 'assistant',
		content: `[Tool call for ${name} - ${isHidden ? 'conversation was compacted' : 'it is not in the conversation'}]`,
		toolCalls: [{ id, name, args: {} }],
		metadata: { synthetic: true, truncated: true },
	};
}

function removeCalls(message: IdentifiedMessage, droppedIndexes: readonly number[]): IdentifiedMessage {
	const { toolCalls = [], ...rest } = message;
	const remaining = toolCalls.filter((_, index) => !droppedIndexes.includes(index));
	return {
		...rest,
		...(remaining.length > 0 && { toolCalls: remaining }),
		metadata: { ...message.metadata, truncated: true },
	};
}

type CutsByRow = ReadonlyMap<Row, RenderEntry['cut']>;

/** Finds visible messages (no summaries or markers) that follow a gap directly or later in the same answer. O(visible). */
function* findCuts({ view, rows }: Pick<State, 'view' | 'rows'>): SlicedTask<CutsByRow> {
	const cuts = new Map<Row, RenderEntry['cut']>();
	let previous: Row | undefined;
	for (const [index, { row }] of view.entries()) {
		if (index % itemsPerSlice === itemsPerSlice - 1) yield;
		if (replacesSeveralRows(row)) continue;
		const before = rows[row.seq - 1];
		const isSameAnswer = row.role === 'assistant' && before?.role === 'assistant';
		if (before && previous?.seq !== before.seq) cuts.set(row, isSameAnswer ? 'within its answer' : 'before');
		else if (isSameAnswer && previous && isWithinAnswer(cuts.get(previous)))
			cuts.set(row, 'earlier in its answer');
		previous = row;
	}
	return cuts;
}

function isWithinAnswer(cut: RenderEntry['cut']): boolean {
	return cut === 'within its answer' || cut === 'earlier in its answer';
}

/** Returns the original row of a shortened message; undefined if the client never appended the message. */
function findOriginalRow(unit: Unit, { rows }: Snapshot): Row | undefined {
	const original = rows[unit.from];
	return unit.layer !== 0 && unit.to - unit.from === 1 && original?.id === unit.row.id ? original : undefined;
}

function toRenderEntry(
	entry: PairedEntry,
	messageByRow: ReadonlyMap<Row, ResolvedMessage>,
	snapshot: Snapshot,
	{ cuts, getMissingHalves }: { cuts: CutsByRow; getMissingHalves: () => MissingHalves },
): RenderEntry {
	if (entry.kind === 'result')
		return { message: createSyntheticResult(entry.unit, entry.call, getMissingHalves()), isChanged: true };
	if (entry.kind === 'call')
		return { message: createSyntheticCall(entry.unit, getMissingHalves()), isChanged: true };
	const body = messageByRow.get(entry.unit.row);
	if (!body) throw new RangeError(`no body for message ${entry.unit.row.id}`);
	const cut = cuts.has(entry.unit.row) ? { cut: cuts.get(entry.unit.row) } : {};
	if (entry.incompleteCalls) {
		const message = removeCalls(body.message, entry.incompleteCalls);
		return { message, isChanged: true, ...cut, ...(body.source && { source: body.source }) };
	}
	if (!body.source) return { message: body.message, isChanged: true, ...cut };
	if (entry.unit.layer === 0) return { message: body.message, source: body.source, isChanged: false, ...cut };
	const compactedItems = entry.unit.row.made === 'summary' ? readCompactedItems(body.message) : undefined;
	const original = findOriginalRow(entry.unit, snapshot);
	const source = original && messageByRow.get(original)?.source;
	return {
		message: body.message,
		isChanged: true,
		...cut,
		...(source && { source }),
		...(compactedItems && { items: compactedItems.items }),
	};
}

/** Returns the rows whose messages are needed to render a history. */
function selectRowsToRead(
	entries: readonly PairedEntry[],
	format: FormatName,
	snapshot: Snapshot,
): SlicedTask<Row[]> {
	return flatMapInSlices(entries, (entry) => {
		if (entry.kind !== 'message') return [];
		// In a provider's format, a shortened message keeps further fields of its original.
		const original = format === 'contextd' ? undefined : findOriginalRow(entry.unit, snapshot);
		return original ? [entry.unit.row, original] : [entry.unit.row];
	});
}

function collectDamageWarnings(
	entries: readonly PairedEntry[],
	messageByRow: ReadonlyMap<Row, ResolvedMessage>,
): SlicedTask<string[]> {
	return flatMapInSlices(entries, (entry) => {
		if (entry.kind !== 'message' || messageByRow.get(entry.unit.row)?.source) return [];
		return [describeDamage(entry.unit.row)];
	});
}

/** Which messages of a history to render, and the model to render them for. */
export interface HistorySelection {
	/** Limits the history to these messages and the calls and results that belong to them; absent: all messages. */
	messageIds?: readonly string[];
	/** The model that will read the history; by default the session's. */
	reader?: { provider: string; model: string };
}

/**
 * Renders the visible history for a model, in slices.
 *
 * The state is read before the first pause, so messages appended later are not included.
 */
export async function renderHistory(
	session: Session,
	format: FormatName = 'contextd',
	{ messageIds, reader = session.state.info }: HistorySelection = {},
): Promise<RenderedHistory> {
	const { state, services } = session;
	const { rows } = state;
	const isCompacted = listActiveLayers(state).some((layer) => layer.lossy);
	const view = await selectBatches([...state.view], messageIds, services);
	return renderSnapshot(session, { view, rows, isCompacted }, format, reader);
}

/** Returns the items of the given messages, and of their calls and results; all items if no ids are given. */
async function selectBatches<Item extends { row: Row }>(
	items: Item[],
	messageIds: readonly string[] | undefined,
	services: Pick<SessionServices, 'pause'>,
): Promise<Item[]> {
	if (messageIds === undefined) return items;
	const ids = new Set(messageIds);
	const batches = new Set<Seq>();
	await runInSlices(
		forEachInSlices(items, ({ row }) => {
			if (ids.has(row.id)) batches.add(row.batch);
		}),
		services,
	);
	return runInSlices(
		filterInSlices(items, ({ row }) => batches.has(row.batch)),
		services,
	);
}

/** Renders rows as items of OpenAI's Responses API, as if they were the whole history. In slices. */
export async function renderItems(session: Session, rows: readonly Row[]): Promise<RenderedHistory> {
	const view = rows.map((row): Unit => ({ row, from: row.seq, to: row.seq + 1, layer: 0 }));
	const snapshot = { view, rows: session.state.rows, isCompacted: false };
	return renderSnapshot(session, snapshot, 'openai-responses', session.state.info);
}

async function renderSnapshot(
	session: Session,
	snapshot: Snapshot,
	format: FormatName,
	{ provider, model }: { provider: string; model: string },
): Promise<RenderedHistory> {
	const { services } = session;
	const { entries, orphanedCallsFixed, orphanedResultsFixed } = await runInSlices(
		pairCalls(snapshot.view),
		services,
	);
	const rows = await runInSlices(selectRowsToRead(entries, format, snapshot), services);
	const cuts = await runInSlices(findCuts(snapshot), services);
	const resolvedMessages = await readRowMessages(session, rows);
	const messageByRow = new Map<Row, ResolvedMessage>();
	await runInSlices(
		forEachInSlices(rows, (row, index) => messageByRow.set(row, resolvedMessages[index] as ResolvedMessage)),
		services,
	);
	let missingHalves: MissingHalves | undefined;
	const getMissingHalves = (): MissingHalves => {
		missingHalves ??= findMissingHalves(snapshot);
		return missingHalves;
	};
	const rendering = await runInSlices(
		mapInSlices(entries, (entry) => toRenderEntry(entry, messageByRow, snapshot, { cuts, getMissingHalves })),
		services,
	);
	const adapter = getFormatAdapter(format);
	const rendered = await runInSlices(adapter.render(rendering, { provider, model }), services);
	const damageWarnings = await runInSlices(collectDamageWarnings(entries, messageByRow), services);
	return {
		...rendered,
		warnings: [...rendered.warnings, ...damageWarnings],
		repairs: { orphanedCallsFixed, orphanedResultsFixed },
	};
}

/** Renders all messages of a session in the neutral format, hidden ones too; with `messageIds`, only these. */
export async function renderFullHistory(
	session: Session,
	messageIds?: readonly string[],
): Promise<{ messages: unknown[]; warnings: string[] }> {
	const allRows = await runInSlices(tagRows(session.state), session.services);
	const taggedRows = await selectBatches(allRows, messageIds, session.services);
	const resolvedMessages = await readRowMessages(
		session,
		taggedRows.map(({ row }) => row),
	);
	const entries = await runInSlices(
		mapInSlices(resolvedMessages, ({ message, source }, index): RenderEntry => {
			const { row, isHidden: _, isShortened: __, cutBy, ...tags } = taggedRows[index] ?? { row: undefined };
			const metadata = cutBy === undefined ? message.metadata : { ...message.metadata, cutBy };
			const output = { ...message, ...tags, ...(metadata && { metadata }) };
			const isOriginal = row?.made === undefined;
			return isOriginal && cutBy === undefined && source
				? { message: output, source, isChanged: false }
				: { message: output, isChanged: !isOriginal };
		}),
		session.services,
	);
	const rendering = getFormatAdapter('contextd').render(entries, { assignedIds: 'shown' });
	const { messages } = await runInSlices(rendering, session.services);
	const damagedRows = taggedRows.filter((_, index) => resolvedMessages[index]?.source === undefined);
	return { messages, warnings: damagedRows.map(({ row }) => describeDamage(row)) };
}
