/** Converts messages from a client to the rows and bodies of a record. */

import { isInjectedMessage } from '../core/analysis/message/messageSource.ts';
import { Failure } from '../core/failure.ts';
import { applyShownLines, findFileAccess } from '../core/files/findTouches.ts';
import { maxTouchedPathUnitsPerAppend } from '../core/files/touches/tuning.ts';
import { checkUsageFigures } from '../core/format/contextd.ts';
import { getFormatAdapter } from '../core/format/formats.ts';
import type { RowTouch, StoredRow } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import { getMessageText } from '../core/history/text.ts';
import { type Fields, isFields, pickDefined } from '../core/shape.ts';
import type { ChatMessage, FormatName } from '../protocol/conversation.ts';
import { encodeBody } from './body.ts';
import type { SessionMeasure } from './services.ts';

export interface IngestResult {
	/** New rows, in order; empty if every message was already stored. */
	rows: StoredRow[];
	bodies: string[];
	/** The id of each given message, in order. */
	messageIds: string[];
}

export interface IngestContext {
	state: State;
	measure: SessionMeasure;
	digest(text: string): string;
	/** The workspace's folder, in which relative paths of calls are resolved. */
	folder?: string;
}

/** A tool call that a later result may answer. */
interface KnownCall {
	name: string;
	touches: RowTouch[];
}

interface IngestBatch {
	rows: StoredRow[];
	bodies: string[];
	rowsById: Map<string, StoredRow>;
	/** Ids that the client gave to messages of the batch; they are not assigned to other messages. */
	givenIds: ReadonlySet<unknown>;
	calls: Map<string, KnownCall>;
	/** UTF-16 units of file paths that may still be stored for calls of the batch. */
	remainingPathUnits: number;
	/** Number for the next generated message id. */
	nextOrdinal: number;
}

/**
 * Converts messages of one format to rows, one message per step, so that the caller can pause between messages.
 *
 * A message whose id is already stored must equal the stored message, and adds nothing. Fails with `InvalidParams`, which
 * names the message and its field; then no message is added.
 */
export function* ingest(
	messages: readonly unknown[],
	format: FormatName,
	context: IngestContext,
): Generator<void, IngestResult> {
	const batch: IngestBatch = {
		rows: [],
		bodies: [],
		rowsById: new Map(),
		givenIds: new Set(messages.flatMap((raw) => (isFields(raw) && raw.id ? [raw.id] : []))),
		calls: new Map(),
		remainingPathUnits: maxTouchedPathUnitsPerAppend,
		nextOrdinal: context.state.rows.length,
	};
	const messageIds: string[] = [];
	for (const [index, raw] of messages.entries()) {
		try {
			messageIds.push(addMessage(raw, format, batch, context));
		} catch (error) {
			throw error instanceof Failure ? addMessageIndex(error, index) : error;
		}
		yield;
	}
	return { rows: batch.rows, bodies: batch.bodies, messageIds };
}

/** Returns a failure that also names the position of the message that caused it. */
export function addMessageIndex(failure: Failure, index: number): Failure {
	if (failure.kind !== 'InvalidParams') return failure;
	// If the input is not an object, the parser's error calls it "message".
	const problem = failure.message.replace(/^message\b/, '');
	const location = problem === failure.message ? `messages[${index}].` : `messages[${index}]`;
	return new Failure(failure.kind, `${location}${problem}`, failure.data);
}

function addMessage(raw: unknown, format: FormatName, batch: IngestBatch, context: IngestContext): string {
	const parts = getFormatAdapter(format).parse(raw);
	for (const part of parts) checkUsageFigures(part);
	const givenId = parts.find((part) => part.id !== undefined)?.id;
	const text = serializeText(raw, format);
	const digests = parts.map((part) => context.digest(serializeMessageIdentity(part, text)));
	if (givenId !== undefined && matchesStoredMessage(givenId, digests[0] ?? '', batch, context.state))
		return givenId;
	const id = givenId ?? createMessageId(batch, context.state);
	const body = batch.bodies.length;
	batch.bodies.push(encodeBody(format, raw, text));
	for (const [part, message] of parts.entries()) {
		const row = createRow(
			message,
			part === 0 ? id : createPartId(id, part, batch, context.state),
			batch,
			context,
		);
		row.digest = digests[part] ?? '';
		row.body = body;
		if (part > 0) row.part = part;
		batch.rows.push(row);
		batch.rowsById.set(row.id, row);
		batch.nextOrdinal++;
	}
	return id;
}

/** Serializes a neutral message's content if it is a string; the result is reused for its identity and its body. */
function serializeText(raw: unknown, format: FormatName): string | undefined {
	if (format !== 'contextd' || !isFields(raw) || typeof raw.content !== 'string') return undefined;
	return JSON.stringify(raw.content);
}

/**
 * Returns a text that is equal for equal messages, regardless of the order of object keys.
 * @param text the content as JSON, if the caller already serialized it
 */
export function serializeMessageIdentity({ role, content, toolCalls }: ChatMessage, text?: string): string {
	if (text === undefined) return JSON.stringify([role, sortAllKeys(content), sortAllKeys(toolCalls)]);
	const calls = toolCalls === undefined ? 'null' : JSON.stringify(sortAllKeys(toolCalls));
	return `[${JSON.stringify(role)},${text},${calls}]`;
}

/**
 * Returns a value with sorted keys in all its objects; the value itself if its keys are sorted already.
 *
 * Not a `JSON.stringify` replacer, since that is called for every value and makes long texts slow to serialize.
 */
function sortAllKeys(value: unknown): unknown {
	return hasSortedKeys(value) ? value : sortKeys(value);
}

/** Whether all objects in a value have sorted keys. Uses no closures, because it runs for every message. */
function hasSortedKeys(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return true;
	if (Array.isArray(value)) {
		for (let index = 0; index < value.length; index++) if (!hasSortedKeys(value[index])) return false;
		return true;
	}
	let last = '';
	for (const key of Object.keys(value)) {
		if (key < last || !hasSortedKeys((value as Fields)[key])) return false;
		last = key;
	}
	return true;
}

function sortKeys(value: unknown): unknown {
	if (Array.isArray(value)) {
		const list: unknown[] = [];
		for (let index = 0; index < value.length; index++) list.push(sortKeys(value[index]));
		return list;
	}
	if (!isFields(value)) return value;
	// Without a prototype, `__proto__` is an ordinary key.
	const sortedFields: Fields = Object.create(null);
	for (const key of Object.keys(value).sort()) sortedFields[key] = sortKeys(value[key]);
	return sortedFields;
}

/** Whether a message with this id and digest is stored. Throws `InvalidParams` if the id is used by a different message. */
function matchesStoredMessage(id: string, digest: string, batch: IngestBatch, state: State): boolean {
	const seq = state.index.get(id);
	const storedRow = batch.rowsById.get(id) ?? (seq === undefined ? undefined : state.rows[seq]);
	if (!storedRow) return false;
	if (storedRow.digest === digest) return true;
	throw new Failure(
		'InvalidParams',
		`id: expected an unused id or an equal message, but "${id}" is the id of a different message`,
		{ messageId: id },
	);
}

function isIdTaken(id: string, batch: IngestBatch, state: State): boolean {
	return state.index.has(id) || batch.rowsById.has(id);
}

function createMessageId(batch: IngestBatch, state: State): string {
	let id = `m${batch.nextOrdinal}`;
	const isUsed = (): boolean => batch.givenIds.has(id) || isIdTaken(id, batch, state);
	for (let turn = 2; isUsed(); turn++) id = `m${batch.nextOrdinal}-${turn}`;
	return id;
}

function createPartId(id: string, part: number, batch: IngestBatch, state: State): string {
	let partId = `${id}.${part}`;
	for (let turn = 2; isIdTaken(partId, batch, state); turn++) partId = `${id}.${part}-${turn}`;
	return partId;
}

function findCall(id: string, batch: IngestBatch, state: State): KnownCall | undefined {
	const batchCall = batch.calls.get(id);
	if (batchCall) return batchCall;
	const seq = state.unansweredCalls.get(id)?.at(-1);
	const caller = seq === undefined ? undefined : state.rows[seq];
	const call = caller?.calls?.find((one) => one.id === id);
	if (!caller || !call) return undefined;
	return { name: call.name, touches: (caller.touches ?? []).filter((touch) => touch.callId === id) };
}

/** Maximum number of newest messages searched for the call that a result without an id answers. */
const maxSearchedMessages = 64;

/** Returns the ids of calls without results in the newest answer that has calls, oldest first. */
function findUnansweredCallIds(batch: IngestBatch, state: State): string[] {
	const rows: Pick<StoredRow, 'role' | 'calls' | 'answers'>[] = [
		...state.view.slice(-maxSearchedMessages).map(({ row }) => row),
		...batch.rows.slice(-maxSearchedMessages),
	].slice(-maxSearchedMessages);
	const last = rows.findLastIndex((row) => row.calls);
	const first = rows.slice(0, last + 1).findLastIndex((row) => row.role !== 'assistant') + 1;
	const answeredIds = rows.slice(last + 1).map((row) => row.answers);
	return rows
		.slice(first, last + 1)
		.flatMap((row) => row.calls ?? [])
		.flatMap(({ id }) => {
			const index = answeredIds.indexOf(id);
			if (index < 0) return [id];
			answeredIds.splice(index, 1);
			return [];
		});
}

/**
 * Returns the id of the call that a message answers; undefined unless the message is a tool result.
 *
 * Returns the id in the result, even an empty one if a call with an empty id waits; else the id of the oldest call
 * without a result; else a generated id.
 */
function findCallId(message: ChatMessage, id: string, batch: IngestBatch, state: State): string | undefined {
	if (message.toolCallId || message.role !== 'tool') return message.toolCallId;
	const waitingIds = findUnansweredCallIds(batch, state);
	return waitingIds.find((one) => one === message.toolCallId) ?? waitingIds[0] ?? `call-${id}`;
}

function recordCallTouches(message: ChatMessage, batch: IngestBatch, context: IngestContext): RowTouch[] {
	return (message.toolCalls ?? []).flatMap((call) => {
		const { touches, showsOnlyFiles } = findFileAccess(call, context.folder);
		batch.remainingPathUnits -= touches.reduce((units, { path }) => units + path.length, 0);
		const isKept = batch.remainingPathUnits >= 0;
		const ownTouches = (isKept ? touches : []).map(
			(touch): RowTouch => (showsOnlyFiles ? touch : { ...touch, mixed: true }),
		);
		batch.calls.set(call.id, { name: call.name, touches: ownTouches });
		return ownTouches;
	});
}

/** Returns the reads of a call. If the call read one file, its lines are those that the result actually shows. */
function refineReadTouches(call: KnownCall | undefined, text: string): RowTouch[] {
	const reads = call?.touches.filter((touch) => touch.kind === 'read') ?? [];
	const [onlyRead] = reads;
	if (reads.length !== 1 || !onlyRead) return reads;
	return [{ ...onlyRead, ...applyShownLines(onlyRead, text) }];
}

function createRow(message: ChatMessage, id: string, batch: IngestBatch, context: IngestContext): StoredRow {
	const text = getMessageText(message);
	const answers = findCallId(message, id, batch, context.state);
	const call = answers === undefined ? undefined : findCall(answers, batch, context.state);
	const calls = message.toolCalls?.map((one) => ({ id: one.id, name: one.name }));
	const tool = message.toolName ?? call?.name;
	const touches = recordCallTouches(message, batch, context);
	const shows = message.role === 'tool' ? refineReadTouches(call, text) : [];
	return {
		id,
		role: message.role,
		counts: context.measure.countMessage(message),
		...((message.tokens ?? 0) > 0 && !message.hasEstimatedTokens && { exact: true }),
		...(calls?.length && { calls }),
		...pickDefined({ answers, tool }),
		...(message.isError && { isError: true }),
		...(isInjectedMessage(message) && { injected: true }),
		...(message.pinned && { pinned: true }),
		...(message.usage && { usage: message.usage }),
		...pickDefined({ stopReason: message.stopReason, at: message.timestamp }),
		...(touches.length > 0 && { touches }),
		...(shows.length > 0 && { shows }),
		digest: '',
		chars: text.length,
		body: 0,
	};
}
