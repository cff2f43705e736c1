/** From messages as a client hands them in to the rows and bodies of a record. */

import { Failure } from '../core/failure.ts';
import { defaultToolTables } from '../core/files/touches/defaultTables.ts';
import { maxTouchedPathUnitsPerAppend } from '../core/files/touches/tuning.ts';
import { applyShownLines, fileAccessOf } from '../core/files/touchesOf.ts';
import { formatAdapter } from '../core/format/formats.ts';
import type { RowTouch, StoredRow } from '../core/history/record.ts';
import type { State } from '../core/history/state.ts';
import { textOf } from '../core/history/text.ts';
import { type Fields, isFields, present } from '../core/shape.ts';
import type { ChatMessage, FormatName } from '../protocol/conversation.ts';
import { encodeBody } from './body.ts';
import type { SessionMeasure } from './world.ts';

export interface Ingested {
	/** What is new, in order; empty where every message was there already. */
	rows: StoredRow[];
	bodies: string[];
	/** One a message that was handed in. */
	messageIds: string[];
}

export interface IngestContext {
	state: State;
	measure: SessionMeasure;
	digest(text: string): string;
	/** The workspace's folder, which relative paths of calls are taken from. */
	folder?: string;
}

/** A call that a result may answer. */
interface KnownCall {
	name: string;
	touches: RowTouch[];
}

interface Intake {
	rows: StoredRow[];
	bodies: string[];
	byId: Map<string, StoredRow>;
	/** Ids that messages of the batch came with: none of them is given to another one. */
	given: ReadonlySet<unknown>;
	calls: Map<string, KnownCall>;
	/** UTF-16 units that the paths of the batch's calls may still take. */
	remainingPathUnits: number;
	/** The next ordinal to name a message by. */
	next: number;
}

/**
 * Reads messages of a format into rows, one a step, so that whoever runs it can let others work in between. A
 * message whose id is there already must be equal to what is there, and adds nothing. Fails with `InvalidParams`
 * that names the message and its field; nothing is then taken.
 */
export function ingest(
	messages: readonly unknown[],
	format: FormatName,
	context: IngestContext,
): Generator<void, Ingested> {
	return ingestMixed(
		messages.map((raw) => ({ raw, format })),
		context,
	);
}

/** As `ingest`, of messages each in a format of its own. */
export function* ingestMixed(
	messages: readonly { raw: unknown; format: FormatName }[],
	context: IngestContext,
): Generator<void, Ingested> {
	const intake: Intake = {
		rows: [],
		bodies: [],
		byId: new Map(),
		given: new Set(messages.flatMap(({ raw }) => (isFields(raw) && raw.id ? [raw.id] : []))),
		calls: new Map(),
		remainingPathUnits: maxTouchedPathUnitsPerAppend,
		next: context.state.rows.length,
	};
	const messageIds: string[] = [];
	for (const [index, { raw, format }] of messages.entries()) {
		try {
			messageIds.push(takeMessage(raw, formatAdapter(format).parse(raw), format, intake, context));
		} catch (error) {
			throw error instanceof Failure ? atMessage(error, index) : error;
		}
		yield;
	}
	return { rows: intake.rows, bodies: intake.bodies, messageIds };
}

/** The failure of one message as one of the batch: says which it is. */
export function atMessage(failure: Failure, index: number): Failure {
	if (failure.kind !== 'InvalidParams') return failure;
	// A parser that was given something else than an object calls that "message".
	const within = failure.message.replace(/^message\b/, '');
	const place = within === failure.message ? `messages[${index}].` : `messages[${index}]`;
	return new Failure(failure.kind, `${place}${within}`, failure.data);
}

function takeMessage(
	raw: unknown,
	parts: readonly ChatMessage[],
	format: FormatName,
	intake: Intake,
	context: IngestContext,
): string {
	for (const part of parts) checkFigures(part);
	const given = parts.find((part) => part.id !== undefined)?.id;
	const text = textJson(raw, format);
	const digests = parts.map((part) => context.digest(identityOf(part, text)));
	if (given !== undefined && isThere(given, digests[0] ?? '', intake, context.state)) return given;
	const id = given ?? freshId(intake, context.state);
	const body = intake.bodies.length;
	intake.bodies.push(encodeBody(format, raw, text));
	for (const [part, message] of parts.entries()) {
		const row = rowOf(message, part === 0 ? id : partId(id, part, intake, context.state), intake, context);
		row.digest = digests[part] ?? '';
		row.body = body;
		if (part > 0) row.part = part;
		intake.rows.push(row);
		intake.byId.set(row.id, row);
		intake.next++;
	}
	return id;
}

/** More than any model's window by orders of magnitude; sums over whole sessions stay exact. Tokens. */
const mostTokens = 1e9;

/** Fails with `InvalidParams` where a message brings figures that no message can have. */
export function checkFigures({ tokens = 0, usage }: ChatMessage): void {
	checkFigure('tokens', tokens);
	if (!usage) return;
	checkFigure('usage.input', usage.input);
	checkFigure('usage.output', usage.output);
	checkFigure('usage.cacheRead', usage.cacheRead);
	checkFigure('usage.cacheWrite', usage.cacheWrite);
	checkFigure('usage.cacheWriteForHour', usage.cacheWriteForHour);
}

function checkFigure(field: string, value = 0): void {
	if (value <= mostTokens) return;
	throw new Failure('InvalidParams', `${field}: expected at most ${mostTokens} tokens, got ${value}`, {
		field,
	});
}

/** The content of a neutral message as JSON, where it is one text: both the identity and the body hold it. */
function textJson(raw: unknown, format: FormatName): string | undefined {
	if (format !== 'contextd' || !isFields(raw) || typeof raw.content !== 'string') return undefined;
	return JSON.stringify(raw.content);
}

/**
 * What makes two messages equal; the order of an object's keys does not.
 * @param text its content as JSON, where that was written already
 */
export function identityOf({ role, content, toolCalls }: ChatMessage, text?: string): string {
	if (text === undefined) return JSON.stringify([role, inOrder(content), inOrder(toolCalls)]);
	const calls = toolCalls === undefined ? 'null' : JSON.stringify(inOrder(toolCalls));
	return `[${JSON.stringify(role)},${text},${calls}]`;
}

/**
 * A value with the keys of all its objects in order; itself where they are. A replacer would do the same, but is asked
 * for every value, and makes long texts slow to write.
 */
function inOrder(value: unknown): unknown {
	return isInOrder(value) ? value : reordered(value);
}

/** In loops without closures: it is asked of every message. */
function isInOrder(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return true;
	if (Array.isArray(value)) {
		for (let index = 0; index < value.length; index++) if (!isInOrder(value[index])) return false;
		return true;
	}
	let last = '';
	for (const key of Object.keys(value)) {
		if (key < last || !isInOrder((value as Fields)[key])) return false;
		last = key;
	}
	return true;
}

function reordered(value: unknown): unknown {
	if (Array.isArray(value)) {
		const list: unknown[] = [];
		for (let index = 0; index < value.length; index++) list.push(reordered(value[index]));
		return list;
	}
	if (!isFields(value)) return value;
	// Without a prototype, `__proto__` is a name like any other.
	const ordered: Fields = Object.create(null);
	for (const key of Object.keys(value).sort()) ordered[key] = reordered(value[key]);
	return ordered;
}

function isThere(id: string, digest: string, intake: Intake, state: State): boolean {
	const seq = state.index.get(id);
	const there = intake.byId.get(id) ?? (seq === undefined ? undefined : state.rows[seq]);
	if (!there) return false;
	if (there.digest === digest) return true;
	throw new Failure(
		'InvalidParams',
		`id: expected an id that is not used yet or an equal message, got "${id}", which is another message's`,
		{
			messageId: id,
		},
	);
}

function isTaken(id: string, intake: Intake, state: State): boolean {
	return state.index.has(id) || intake.byId.has(id);
}

function freshId(intake: Intake, state: State): string {
	let id = `m${intake.next}`;
	const isOther = (): boolean => intake.given.has(id) || isTaken(id, intake, state);
	for (let turn = 2; isOther(); turn++) id = `m${intake.next}-${turn}`;
	return id;
}

function partId(id: string, part: number, intake: Intake, state: State): string {
	let own = `${id}.${part}`;
	for (let turn = 2; isTaken(own, intake, state); turn++) own = `${id}.${part}-${turn}`;
	return own;
}

function knownCall(id: string, intake: Intake, state: State): KnownCall | undefined {
	const own = intake.calls.get(id);
	if (own) return own;
	const seq = state.unansweredCalls.get(id)?.at(-1);
	const caller = seq === undefined ? undefined : state.rows[seq];
	const call = caller?.calls?.find((one) => one.id === id);
	if (!caller || !call) return undefined;
	return { name: call.name, touches: (caller.touches ?? []).filter((touch) => touch.callId === id) };
}

/** So many messages are looked back at for the call that a result without an id answers. */
const longestReach = 64;

/** The ids of the unanswered calls of the newest answer that calls, oldest first. */
function waitingCalls(intake: Intake, state: State): string[] {
	const rows: Pick<StoredRow, 'role' | 'calls' | 'answers'>[] = [
		...state.view.slice(-longestReach).map(({ row }) => row),
		...intake.rows.slice(-longestReach),
	].slice(-longestReach);
	const last = rows.findLastIndex((row) => row.calls);
	const first = rows.slice(0, last + 1).findLastIndex((row) => row.role !== 'assistant') + 1;
	const answered = rows.slice(last + 1).map((row) => row.answers);
	return rows
		.slice(first, last + 1)
		.flatMap((row) => row.calls ?? [])
		.flatMap(({ id }) => {
			const index = answered.indexOf(id);
			if (index < 0) return [id];
			answered.splice(index, 1);
			return [];
		});
}

/**
 * The call that a result answers: the one that it names, be it by an empty id, else the one that waits, else one of
 * its own.
 */
function answeredCall(message: ChatMessage, id: string, intake: Intake, state: State): string | undefined {
	if (message.toolCallId || message.role !== 'tool') return message.toolCallId;
	const waiting = waitingCalls(intake, state);
	return waiting.find((one) => one === message.toolCallId) ?? waiting[0] ?? `call-${id}`;
}

function touchesOfCalls(message: ChatMessage, intake: Intake, context: IngestContext): RowTouch[] {
	return (message.toolCalls ?? []).flatMap((call) => {
		const { touches, onlyFiles } = fileAccessOf(call, defaultToolTables, context.folder);
		intake.remainingPathUnits -= touches.reduce((units, { path }) => units + path.length, 0);
		const isKept = intake.remainingPathUnits >= 0;
		const own = (isKept ? touches : []).map(
			(touch): RowTouch => (onlyFiles ? touch : { ...touch, mixed: true }),
		);
		intake.calls.set(call.id, { name: call.name, touches: own });
		return own;
	});
}

/** The lines that a result shows of the files that its call reads. */
function shownFiles(call: KnownCall | undefined, text: string): RowTouch[] {
	const reads = call?.touches.filter((touch) => touch.kind === 'read') ?? [];
	const [only] = reads;
	if (reads.length !== 1 || !only) return reads;
	return [{ ...only, ...applyShownLines(only, text) }];
}

function rowOf(message: ChatMessage, id: string, intake: Intake, context: IngestContext): StoredRow {
	const text = textOf(message);
	const answers = answeredCall(message, id, intake, context.state);
	const call = answers === undefined ? undefined : knownCall(answers, intake, context.state);
	const tool = message.toolName ?? call?.name;
	const touches = touchesOfCalls(message, intake, context);
	const shows = message.role === 'tool' ? shownFiles(call, text) : [];
	return {
		id,
		role: message.role,
		counts: context.measure.countMessage(message),
		...((message.tokens ?? 0) > 0 && { exact: true }),
		...(message.toolCalls?.length && { calls: message.toolCalls.map(({ id, name }) => ({ id, name })) }),
		...present({ answers, tool }),
		...(message.isError && { isError: true }),
		...(message.metadata?.injected === true && { injected: true }),
		...(message.pinned && { pinned: true }),
		...(message.usage && { usage: message.usage }),
		...present({ stopReason: message.stopReason, at: message.timestamp }),
		...(touches.length > 0 && { touches }),
		...(shows.length > 0 && { shows }),
		digest: '',
		chars: text.length,
		body: 0,
	};
}
