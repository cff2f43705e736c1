/** One body as a journal holds it, and the memory-bounded cache of those that were parsed. */

import { LRUCache } from 'lru-cache';
import { formatAdapter } from '../core/format/formats.ts';
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

/** A message as it is stored, in one line. */
export function encodeBody(format: FormatName, raw: unknown): string {
	const stored: StoredBody = format === 'contextd' ? { m: raw } : { f: format, m: raw };
	return JSON.stringify(stored);
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
