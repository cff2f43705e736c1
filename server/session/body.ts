/** The stored form of one message in a journal, and a memory-bounded cache of parsed bodies. */

import { LRUCache } from 'lru-cache';
import { getFormatAdapter } from '../core/format/formats.ts';
import { type Fields, isFields } from '../core/shape.ts';
import type { ChatMessage, FormatName } from '../protocol/conversation.ts';

/** A body as stored: the original message, and its format unless that is the neutral one. */
interface StoredBody {
	f?: FormatName;
	m: unknown;
}

/** A stored message, parsed. */
export interface ParsedBody {
	format: FormatName;
	/** The original message, unchanged. */
	raw: unknown;
	messages: ChatMessage[];
}

export type BodyCache = LRUCache<string, ParsedBody>;

/** A cache of at most about `bytes` of memory; null if `bytes` is 0. */
export function createBodyCache(bytes: number): BodyCache | null {
	return bytes > 0 ? new LRUCache<string, ParsedBody>({ maxSize: bytes }) : null;
}

/**
 * Returns a message in its stored form, as one line.
 * @param text the message's `content` as JSON, if the format is neutral and the text was already serialized
 */
export function encodeBody(format: FormatName, raw: unknown, text?: string): string {
	if (text !== undefined && text.length >= minJoinedLength && isFields(raw)) return joinBody(raw, text);
	const stored: StoredBody = format === 'contextd' ? { m: raw } : { f: format, m: raw };
	return JSON.stringify(stored);
}

/** Texts from this length on are joined instead of serialized again, which is faster. UTF-16 units. */
const minJoinedLength = 512;

/** Same result as `JSON.stringify`, without serializing the content again. */
function joinBody(raw: Fields, content: string): string {
	const members = Object.entries(raw);
	const place = members.findIndex(([name]) => name === 'content');
	const before = serializeMembers(members.slice(0, place));
	const after = serializeMembers(members.slice(place + 1));
	return `{"m":{${before}${before && ','}"content":${content}${after && ','}${after}}}`;
}

/** JSON of an object's members, without the braces. */
function serializeMembers(members: readonly [string, unknown][]): string {
	return JSON.stringify(Object.fromEntries(members)).slice(1, -1);
}

/** A message in the form that `encodeBody` wrote. */
export function decodeBody(text: string): ParsedBody {
	const { f: format = 'contextd', m: raw } = JSON.parse(text) as StoredBody;
	return { format, raw, messages: getFormatAdapter(format).parse(raw) };
}

/** The stored form of any other value of a record. */
export function encodeValue(value: unknown): string {
	return JSON.stringify({ m: value });
}

/** A value in the form that `encodeValue` wrote. */
export function decodeValue(text: string): unknown {
	return (JSON.parse(text) as StoredBody).m;
}
