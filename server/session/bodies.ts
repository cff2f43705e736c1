/** Reads the messages of rows from the session's journal. */

import { Failure } from '../core/failure.ts';
import type { MessageSource } from '../core/format/wire/adapter.ts';
import type { BodyRef } from '../core/history/record.ts';
import type { Row } from '../core/history/row.ts';
import { pickDefined } from '../core/shape.ts';
import type { IdentifiedMessage } from '../protocol/conversation.ts';
import { decodeBody, decodeValue, type ParsedBody } from './body.ts';
import type { Session } from './session.ts';

/** A message and the stored form it was parsed from. */
export interface ResolvedMessage {
	message: IdentifiedMessage;
	/** Absent if the stored bytes are damaged; the message is a placeholder then. */
	source?: MessageSource;
}

/** Approximate memory of a parsed object, per byte of its JSON. */
const memoryBytesPerJsonByte = 3;

function buildCacheKey(session: Session, ref: BodyRef): string {
	// The key has the checksum, because a new session with a deleted one's id may have another body at this position.
	return `${session.id}:${ref.offset}:${ref.length}:${ref.crc}`;
}

/** Maximum bytes (`units`) and bodies (`items`) that are read at once; a larger body is read alone. */
const maxPortion = { units: 1024 * 1024, items: 1000 };

/** Splits items into portions of at most `items` items and the total size `units`. A larger item is a portion alone. */
export function splitPortions<Item>(
	items: readonly Item[],
	getSize: (item: Item) => number,
	max: { units: number; items: number },
): Item[][] {
	const portions: Item[][] = [];
	let size = 0;
	for (const item of items) {
		const lastPortion = portions.at(-1);
		size += getSize(item);
		if (lastPortion && size <= max.units && lastPortion.length < max.items) lastPortion.push(item);
		else {
			portions.push([item]);
			size = getSize(item);
		}
	}
	return portions;
}

/** Number of rows processed before other tasks get a turn. */
const rowsPerSlice = 5000;

/** Reads the messages of rows, in order, each with its source. Damaged messages become placeholders. */
export async function readRowMessages(session: Session, rows: readonly Row[]): Promise<ResolvedMessage[]> {
	const parsedBodies = new Map<number, ParsedBody>();
	const resolvedMessages: ResolvedMessage[] = [];
	for (let index = 0; index < rows.length; index += rowsPerSlice) {
		if (index > 0) await session.services.pause();
		const slice = rows.slice(index, index + rowsPerSlice);
		await readBodies(session, slice, parsedBodies);
		for (const row of slice) resolvedMessages.push(resolveRow(row, parsedBodies.get(row.ref.offset)));
	}
	return resolvedMessages;
}

/** Adds the bodies of rows to `parsedBodies`, from the cache or from disk. */
async function readBodies(
	session: Session,
	rows: readonly Row[],
	parsedBodies: Map<number, ParsedBody>,
): Promise<void> {
	const missingRefs = new Map<number, BodyRef>();
	for (const { ref } of rows) {
		if (parsedBodies.has(ref.offset) || missingRefs.has(ref.offset)) continue;
		const cachedBody = session.bodies?.get(buildCacheKey(session, ref));
		if (cachedBody) parsedBodies.set(ref.offset, cachedBody);
		else missingRefs.set(ref.offset, ref);
	}
	// Reads one portion at a time, since parsing all bodies at once would block other tasks.
	for (const refs of splitPortions([...missingRefs.values()], ({ length }) => length, maxPortion)) {
		const texts = await session.reader.read(refs);
		for (const [index, ref] of refs.entries()) {
			const text = texts[index];
			if (text === undefined) continue;
			const body = tryDecodeBody(session, ref, text);
			if (body === undefined) continue;
			parsedBodies.set(ref.offset, body);
			session.bodies?.set(buildCacheKey(session, ref), body, {
				size: Math.max(1, ref.length * memoryBytesPerJsonByte),
			});
		}
	}
}

/** Parses a body. Undefined if its format is unknown, so that the session's other messages stay readable. */
function tryDecodeBody({ id, services }: Session, { offset }: BodyRef, text: string): ParsedBody | undefined {
	try {
		return decodeBody(text);
	} catch (error) {
		if (!(error instanceof Failure)) throw error;
		services.log.warn(
			`session "${id}": cannot read the message at byte ${offset} of its journal: ${error.message}`,
		);
		return undefined;
	}
}

function resolveRow(row: Row, body: ParsedBody | undefined): ResolvedMessage {
	if (!body) return { message: createPlaceholder(row) };
	const part = row.part ?? 0;
	const message = body.messages[part];
	if (!message) throw new RangeError(`no body for message ${row.id}`);
	// A tool result that arrived without the id of its call was assigned an id.
	const toolCallId = message.toolCallId || row.answers;
	return {
		message: { ...message, id: row.id, ...(toolCallId !== undefined && { toolCallId }) },
		source: {
			format: body.format,
			raw: body.raw,
			key: String(row.ref.offset),
			partIndex: part,
			partCount: body.messages.length,
		},
	};
}

/** Reads a value that `encodeValue` stored with a record; undefined if the value is damaged on disk. */
export async function readStoredValue(session: Session, ref: BodyRef): Promise<unknown> {
	const [text] = await session.reader.read([ref]);
	return text === undefined ? undefined : decodeValue(text);
}

/** Returns what replaces an unreadable message: its role, its calls without arguments, and where the damage is. */
export function createPlaceholder(row: Row): IdentifiedMessage {
	const { id, role, calls, answers, tool, isError, made } = row;
	return {
		id,
		role,
		content: `[Message ${id} is damaged on disk: ${describePosition(row)}]`,
		...(calls && { toolCalls: calls.map((call) => ({ ...call, args: {} })) }),
		...pickDefined({ toolCallId: answers, toolName: tool }),
		...(isError && { isError }),
		metadata: {
			damaged: true,
			truncated: true,
			...(made === 'summary' && { isSummary: true }),
			...(made === 'marker' && { isTruncationMarker: true }),
		},
	};
}

/** Returns the warning about a message that is damaged on disk. */
export function describeDamage(row: Row): string {
	return `message "${row.id}" is damaged on disk (${describePosition(row)}): a note replaces it`;
}

function describePosition({ ref }: Row): string {
	return `${ref.length} bytes at byte ${ref.offset} of its journal`;
}
