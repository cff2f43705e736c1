/** The messages behind rows: bodies read from the journal, parsed, and kept in one memory-bounded cache. */

import { LRUCache } from 'lru-cache';
import type { MessageSource } from '../core/format/adapter.ts';
import { formatAdapter } from '../core/format/formats.ts';
import type { BodyRef } from '../core/history/record.ts';
import type { Row } from '../core/history/row.ts';
import type { ChatMessage, FormatName, IdentifiedMessage } from '../protocol/conversation.ts';
import type { Session } from './session.ts';

/** A body as it is stored: the message as it came, and its format where that is not the neutral one. */
interface StoredBody {
	f?: FormatName;
	m: unknown;
}

interface Body {
	format: FormatName;
	raw: unknown;
	messages: ChatMessage[];
}

/** What a message was made from, and the message. */
export interface Resolved {
	message: IdentifiedMessage;
	source: MessageSource;
}

export type BodyCache = LRUCache<string, Body>;

/** Parsed objects take about this many times the bytes of their JSON. */
const memoryPerByte = 3;

/** A cache of at most about `bytes` of memory; none where that is 0. */
export function createBodyCache(bytes: number): BodyCache | null {
	return bytes > 0 ? new LRUCache<string, Body>({ maxSize: bytes }) : null;
}

/** A message as it is stored, in one line. */
export function encodeBody(format: FormatName, raw: unknown): string {
	const stored: StoredBody = format === 'contextd' ? { m: raw } : { f: format, m: raw };
	return JSON.stringify(stored);
}

/** Any other value that a record carries. */
export function encodeValue(value: unknown): string {
	return JSON.stringify({ m: value });
}

function parseBody(text: string): Body {
	const { f: format = 'contextd', m: raw } = JSON.parse(text) as StoredBody;
	return { format, raw, messages: formatAdapter(format).parse(raw) };
}

function keyOf(session: Session, ref: BodyRef): string {
	// An id may be given anew after its session was deleted: the place alone would name another body.
	return `${session.id}:${ref.offset}:${ref.length}:${ref.crc}`;
}

/** Bytes and bodies of a portion, unless a single body is larger. */
const largestPortion = { bytes: 1024 * 1024, bodies: 1000 };

function portions(refs: readonly BodyRef[]): BodyRef[][] {
	const all: BodyRef[][] = [];
	let bytes = 0;
	for (const ref of refs) {
		const current = all.at(-1);
		bytes += ref.length;
		if (current && bytes <= largestPortion.bytes && current.length < largestPortion.bodies) {
			current.push(ref);
			continue;
		}
		all.push([ref]);
		bytes = ref.length;
	}
	return all;
}

/** The messages of rows, in order, each with what it was made from. */
export async function resolve(
	session: Session,
	cache: BodyCache | null,
	rows: readonly Row[],
): Promise<Resolved[]> {
	const known = new Map<number, Body>();
	const missing = new Map<number, BodyRef>();
	for (const { ref } of rows) {
		if (known.has(ref.offset) || missing.has(ref.offset)) continue;
		const cached = cache?.get(keyOf(session, ref));
		if (cached) known.set(ref.offset, cached);
		else missing.set(ref.offset, ref);
	}
	// One portion after the other: reading gives others a chance, parsing all at once would not.
	for (const refs of portions([...missing.values()])) {
		const texts = await session.reader.read(refs);
		for (const [index, ref] of refs.entries()) {
			const body = parseBody(texts[index] ?? '');
			known.set(ref.offset, body);
			cache?.set(keyOf(session, ref), body, { size: Math.max(1, ref.length * memoryPerByte) });
		}
	}
	return rows.map((row) => resolveRow(row, known.get(row.ref.offset)));
}

function resolveRow(row: Row, body: Body | undefined): Resolved {
	const part = row.part ?? 0;
	const message = body?.messages[part];
	if (!body || !message) throw new RangeError(`no body for message ${row.id}`);
	// A result that came without the id of its call was given one.
	const toolCallId = message.toolCallId || row.answers;
	return {
		message: { ...message, id: row.id, ...(toolCallId !== undefined && { toolCallId }) },
		source: {
			format: body.format,
			raw: body.raw,
			key: String(row.ref.offset),
			part,
			parts: body.messages.length,
		},
	};
}

/** A value that was stored beside a record, as `encodeValue` wrote it. */
export async function readValue(session: Session, ref: BodyRef): Promise<unknown> {
	const [text = '{}'] = await session.reader.read([ref]);
	return (JSON.parse(text) as StoredBody).m;
}
