/** One body as a journal holds it, and the memory-bounded cache of those that were parsed. */

import { LRUCache } from 'lru-cache';
import { formatAdapter } from '../core/format/formats.ts';
import { type Fields, isFields } from '../core/shape.ts';
import type { ChatMessage, FormatName } from '../protocol/conversation.ts';

/** A body as it is stored: the message as it came, and its format where that is not the neutral one. */
interface StoredBody {
	f?: FormatName;
	m: unknown;
}

/** A stored message, parsed. */
export interface Body {
	format: FormatName;
	/** As it came. */
	raw: unknown;
	messages: ChatMessage[];
}

export type BodyCache = LRUCache<string, Body>;

/** A cache of at most about `bytes` of memory; none where that is 0. */
export function createBodyCache(bytes: number): BodyCache | null {
	return bytes > 0 ? new LRUCache<string, Body>({ maxSize: bytes }) : null;
}

/**
 * A message as it is stored, in one line.
 * @param text the message's `content` as JSON, where it is in the neutral format and that was written already
 */
export function encodeBody(format: FormatName, raw: unknown, text?: string): string {
	if (text !== undefined && text.length >= worthJoining && isFields(raw)) return joinedBody(raw, text);
	const stored: StoredBody = format === 'contextd' ? { m: raw } : { f: format, m: raw };
	return JSON.stringify(stored);
}

/** UTF-16 units from which on a text takes longer to write again than the members around it take to be joined to it. */
const worthJoining = 512;

/** What `JSON.stringify` makes of it, without writing its content. */
function joinedBody(raw: Fields, content: string): string {
	const members = Object.entries(raw);
	const place = members.findIndex(([name]) => name === 'content');
	const before = innerJson(members.slice(0, place));
	const after = innerJson(members.slice(place + 1));
	return `{"m":{${before}${before && ','}"content":${content}${after && ','}${after}}}`;
}

/** Members as JSON has them between the braces. */
function innerJson(members: readonly [string, unknown][]): string {
	return JSON.stringify(Object.fromEntries(members)).slice(1, -1);
}

/** A message as `encodeBody` wrote it. */
export function decodeBody(text: string): Body {
	const { f: format = 'contextd', m: raw } = JSON.parse(text) as StoredBody;
	return { format, raw, messages: formatAdapter(format).parse(raw) };
}

/** Any other value that a record carries. */
export function encodeValue(value: unknown): string {
	return JSON.stringify({ m: value });
}

/** A value as `encodeValue` wrote it. */
export function decodeValue(text: string): unknown {
	return (JSON.parse(text) as StoredBody).m;
}
