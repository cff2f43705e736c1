/** Makes a session equal to a transcript: cuts the session where they first differ, then appends the rest. */

import { isSameUsage } from '../../core/cost/spent.ts';
import { getFormatAdapter } from '../../core/format/formats.ts';
import type { StepReceipt } from '../../core/history/record.ts';
import { pickDefined } from '../../core/shape.ts';
import type { Outline, OutlineCompaction, OutlineMessage } from '../../core/transcript/index.ts';
import type { EstimatorName, IdentifiedMessage } from '../../protocol/conversation.ts';
import type { Counting } from '../../protocol/transcript.ts';
import { appendMessages, recordLateUsage } from '../append.ts';
import { readRowMessages } from '../bodies.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import { serializeMessageIdentity } from '../ingest.ts';
import type { SessionServices } from '../services.ts';
import { type Session, selectMeasure } from '../session.ts';
import { findUnusedRowId, isRowOfMessage, type MirroredEntry } from './mirrored.ts';
import { createCompactionStep, createMirroredRewind, type RetainedRow } from './steps.ts';

type Digester = Pick<SessionServices, 'digest'>;

/** Maximum messages, and characters of their text, in one record. A larger message gets a record of its own. */
const maxBatch = { messages: 128, characters: 1 << 18 };

/** Length of a compaction's key, in characters: enough to be unique within a session. */
const keyLength = 16;

function computeDigest({ digest }: Digester, entry: OutlineMessage): string | undefined {
	// Computed like the digests of rows, with which it is compared.
	if (entry.digest === undefined && entry.message !== undefined) {
		const [message] = getFormatAdapter('contextd').parse(entry.message);
		entry.digest = message && digest(serializeMessageIdentity(message));
	}
	return entry.digest;
}

function computeKey({ digest }: Digester, entry: OutlineCompaction): string {
	entry.key ??= digest(
		JSON.stringify([
			entry.visibleIds,
			entry.replacement.map((message) => [message.role, message.content, message.toolCalls]),
		]),
	).slice(0, keyLength);
	return entry.key;
}

/** Sets `outline.unchangedCount` to the number of leading entries that transcript and session have in common. */
export function alignSession(digester: Digester, outline: Outline, mirrored: readonly MirroredEntry[]): void {
	for (; outline.unchangedCount < outline.entries.length; outline.unchangedCount++) {
		const entry = outline.entries[outline.unchangedCount];
		const storedEntry = mirrored[outline.unchangedCount];
		if (!entry || !storedEntry) return;
		if (entry.t === 'compaction' || storedEntry.t === 'compaction') {
			if (
				entry.t !== storedEntry.t ||
				computeKey(digester, entry as OutlineCompaction) !==
					(storedEntry.t === 'compaction' && storedEntry.key)
			)
				return;
			continue;
		}
		if (!isRowOfMessage(storedEntry.rowId, entry.id) || computeDigest(digester, entry) !== storedEntry.digest)
			return;
		entry.rowId = storedEntry.rowId;
		entry.message = undefined;
	}
}

/** Records usage figures that arrived after their message, for entries from `from` on that are already stored. */
export async function recordLateFigures(
	session: Session,
	client: ClientContext,
	outline: Outline,
	from: number,
): Promise<void> {
	const { state } = session;
	for (const entry of outline.entries.slice(from, outline.unchangedCount)) {
		if (entry.t === 'compaction' || !entry.isAnswer || !entry.usage || entry.rowId === undefined) continue;
		const row = state.rows[state.index.get(entry.rowId) ?? -1];
		const { usage, stopReason } = entry;
		const isKnown = isSameUsage(row?.usage, usage) && (stopReason ?? row?.stopReason) === row?.stopReason;
		if (!isKnown) await recordLateUsage(session, client, { messageId: entry.rowId, usage, stopReason });
	}
}

/** Removes all but the session's first `retainedCount` entries from its history. */
export async function cutSession(
	session: Session,
	retainedCount: number,
	mirroredEntries: MirroredEntry[],
): Promise<void> {
	const firstRemoved = mirroredEntries[retainedCount];
	if (!firstRemoved) return;
	const listLayerNumbers = (entries: readonly MirroredEntry[]): number[] =>
		entries.flatMap((entry) => (entry.t === 'compaction' ? (entry.layer ?? []) : []));
	const step = createMirroredRewind(
		session.state,
		firstRemoved.t === 'message' ? firstRemoved.seq : firstRemoved.rowCount,
		{
			removedLayers: listLayerNumbers(mirroredEntries.slice(retainedCount)),
			retainedLayers: new Set(listLayerNumbers(mirroredEntries.slice(0, retainedCount))),
		},
		session.services.now(),
	);
	mirroredEntries.length = retainedCount;
	if (step) await commit(session, { t: 'step', step });
}

/** Appends the entries of a transcript that the session lacks, up to, but not including, entry `upTo`. */
export async function storeEntries(
	session: Session,
	outline: Outline,
	mirroredEntries: MirroredEntry[],
	{ client, upTo, counting }: { client: ClientContext; upTo: number; counting: Counting },
): Promise<void> {
	const calibratedTo = counting === 'tail' ? findNewestFigure(outline) : -1;
	let batch: OutlineMessage[] = [];
	let characters = 0;
	let durable: Promise<unknown> | undefined;
	let estimator: EstimatorName | undefined;
	const append = async (): Promise<void> => {
		if (batch.length === 0) return;
		const before = durable;
		({ durable } = await appendEntries(session, batch, mirroredEntries, { client, estimator }));
		// Waits for the previous batch, so that only one is being written while the next is prepared.
		await before;
		batch = [];
		characters = 0;
	};
	for (let index = mirroredEntries.length; index < upTo; index++) {
		const entry = outline.entries[index];
		if (!entry) break;
		if (entry.t === 'compaction') {
			await append();
			await storeCompaction(session, { client, outline, position: index }, entry, mirroredEntries);
			continue;
		}
		const nextEstimator = index <= calibratedTo ? 'calibrated' : undefined;
		if (nextEstimator !== estimator) await append();
		estimator = nextEstimator;
		batch.push(entry);
		characters += estimateContentLength(entry.message);
		if (batch.length >= maxBatch.messages || characters >= maxBatch.characters) await append();
	}
	await append();
	await durable;
	outline.unchangedCount = mirroredEntries.length;
}

/** Returns the index of the newest message with a usage figure; -1 if there is none. */
function findNewestFigure({ entries }: Outline): number {
	return entries.findLastIndex(
		(entry) => entry.t === 'message' && entry.isAnswer && entry.usage !== undefined,
	);
}

/** Returns the approximate length of a message's content, in characters. */
function estimateContentLength(message: IdentifiedMessage | undefined): number {
	if (message === undefined) return 0;
	if (typeof message.content === 'string') return message.content.length;
	return message.content.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
}

/** Appends entries to a session. The returned `durable` resolves when they are on disk. */
async function appendEntries(
	session: Session,
	entries: readonly OutlineMessage[],
	mirroredEntries: MirroredEntry[],
	{ client, estimator }: { client: ClientContext; estimator?: EstimatorName },
): Promise<{ durable: Promise<unknown> }> {
	const { state } = session;
	const restoredRows = entries.flatMap(({ message, rowId }) => {
		const row =
			message === undefined && rowId !== undefined ? state.rows[state.index.get(rowId) ?? -1] : undefined;
		return row ? [row] : [];
	});
	const storedMessages = await readRowMessages(session, restoredRows);
	const byRow = new Map(storedMessages.map(({ message }) => [message.id, message]));
	const takenIds = new Set<string>();
	const messages = entries.map((entry): IdentifiedMessage => {
		const found = entry.message ?? byRow.get(entry.rowId ?? '');
		if (!found) throw new RangeError(`no text for message ${entry.id}`);
		const id = findUnusedRowId(entry.id, (one) => state.index.has(one) || takenIds.has(one));
		takenIds.add(id);
		const { usage, stopReason } = entry;
		return { ...found, id, ...(usage && { usage }), ...(stopReason !== undefined && { stopReason }) };
	});
	const durable = appendMessages(session, messages, 'contextd', { client, estimator });
	if (estimator !== undefined) session.headEstimator = estimator;
	// The caller awaits `durable` and sees a failure there.
	durable.catch(() => undefined);
	for (const [index, entry] of entries.entries()) {
		const rowId = messages[index]?.id ?? '';
		const seq = state.index.get(rowId);
		const row = seq === undefined ? undefined : state.rows[seq];
		if (seq === undefined || row === undefined) {
			// The append was refused: waiting for it throws the reason.
			await durable;
			throw new RangeError(`no row for message ${entry.id}`);
		}
		Object.assign(entry, { rowId, digest: row.digest, message: undefined });
		mirroredEntries.push({ t: 'message', rowId, seq, digest: row.digest });
	}
	return { durable };
}

/** Returns the rows that the model sees after the compaction at a position of the transcript. */
function findRowsVisibleAfter(
	session: Session,
	outline: Outline,
	position: number,
	entry: OutlineCompaction,
): RetainedRow[] {
	const ownMessages = new Map(entry.replacement.map((message) => [message.id, message]));
	return entry.visibleIds.flatMap((id): RetainedRow[] => {
		const message = ownMessages.get(id);
		if (message) return [{ message }];
		const index = outline.positions.get(id) ?? position;
		const previous = index < position ? outline.entries[index] : undefined;
		if (previous?.t === 'compaction') {
			const replacement = previous.replacement.find((one) => one.id === id);
			return replacement ? [{ message: replacement }] : [];
		}
		const seq = previous?.rowId === undefined ? undefined : session.state.index.get(previous.rowId);
		return seq === undefined ? [] : [{ seq }];
	});
}

/** Returns what the agent reported about its compaction; undefined if it reported nothing. */
function createAgentReport({ tokensBefore, trigger }: OutlineCompaction): StepReceipt['told'] {
	if (tokensBefore === undefined && trigger === undefined) return undefined;
	return { ...(tokensBefore !== undefined && { tokensBefore }), ...(trigger !== undefined && { trigger }) };
}

/** Stores a compaction by the agent itself, which is the outline's entry at `position`. */
async function storeCompaction(
	session: Session,
	{ client, outline, position }: { client: ClientContext; outline: Outline; position: number },
	entry: OutlineCompaction,
	mirroredEntries: MirroredEntry[],
): Promise<void> {
	const { services, state } = session;
	const key = computeKey(services, entry);
	const rowCountBefore = state.rows.length;
	const { step, bodies, unplaced } = createCompactionStep(
		state,
		findRowsVisibleAfter(session, outline, position, entry),
		key,
		{
			at: services.now(),
			measure: selectMeasure(session),
			digest: services.digest,
			told: createAgentReport(entry),
			...pickDefined({ standing: entry.standing }),
		},
	);
	if (step) await commit(session, { t: 'step', step }, bodies);
	if (unplaced.length > 0) {
		const rows = unplaced.flatMap((one) => ('seq' in one ? (state.rows[one.seq] ?? []) : []));
		const resolvedMessages = await readRowMessages(session, rows);
		const texts = new Map(rows.map((row, index) => [row.seq, resolvedMessages[index]?.message]));
		const messages = unplaced.flatMap((one) => {
			const message = 'seq' in one ? texts.get(one.seq) : one.message;
			// The message's usage figures belong to the history before the compaction.
			return message ? [{ ...message, id: one.rowId, usage: undefined, stopReason: undefined }] : [];
		});
		await appendMessages(session, messages, 'contextd', { client });
	}
	mirroredEntries.push({ t: 'compaction', key, layer: step?.sheet?.no, rowCount: rowCountBefore });
}
