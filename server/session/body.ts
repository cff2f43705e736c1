/** The stored form of one message in a journal. */

import type { LRUCache } from 'lru-cache';
import { getFormatAdapter } from '../core/format/formats.ts';
import { type Fields, isFields } from '../core/shape.ts';
import type { ChatMessage, FormatName } from '../protocol/conversation.ts';

/** A body as stored: `m` is the original message, `f` its format, absent for the neutral format. */
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

/** Recently parsed bodies by position; its sizes are estimates of their memory in bytes. */
export type BodyCache = LRUCache<string, ParsedBody>;

/**
 * Returns a message in its stored form, as one line.
 * @param text the message's `content` as JSON, if the caller already serialized it; only for the neutral format
 */
export function encodeBody(format: FormatName, raw: unknown, text?: string): string {
	if (text !== undefined && text.length >= minJoinedLength && isFields(raw)) return joinBody(raw, text);
	const stored: StoredBody = format === 'contextd' ? { m: raw } : { f: format, m: raw };
	return JSON.stringify(stored);
}

/** Minimum UTF-16 units of a serialized text for which reusing it is faster than serializing it again. */
const minJoinedLength = 512;

/** Returns what `JSON.stringify` would return for a body, without serializing its content again. */
function joinBody(raw: Fields, content: string): string {
	const members = Object.entries(raw);
	const contentIndex = members.findIndex(([name]) => name === 'content');
	const before = serializeMembers(members.slice(0, contentIndex));
	const after = serializeMembers(members.slice(contentIndex + 1));
	return `{"m":{${before}${before && ','}"content":${content}${after && ','}${after}}}`;
}

/** Serializes the members of an object, without the braces around them. */
function serializeMembers(members: readonly [string, unknown][]): string {
	return JSON.stringify(Object.fromEntries(members)).slice(1, -1);
}

/** Parses a message that `encodeBody` serialized. */
export function decodeBody(text: string): ParsedBody {
	const { f: format = 'contextd', m: raw } = JSON.parse(text) as StoredBody;
	return { format, raw, messages: getFormatAdapter(format).parse(raw) };
}

/** Serializes a value that a record stores and that is not a message. */
export function encodeValue(value: unknown): string {
	return JSON.stringify({ m: value });
}

/** Parses a value that `encodeValue` serialized. */
export function decodeValue(text: string): unknown {
	return (JSON.parse(text) as StoredBody).m;
}
