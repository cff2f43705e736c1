/** Reads and writes messages. A relay reads only id and method of most messages, without parsing the JSON. */

import { type Fields, isFields } from '../core/shape.ts';
import type { Framing } from '../protocol/capabilities.ts';
import { parseBody } from '../rpc/wire/decoder.ts';

export type MessageId = string | number;

/** Id and method of a message. A request has both, a notification only a method, a response only an id. */
export interface MessageHead {
	id?: MessageId;
	method?: string;
}

/** Bytes within which most messages contain their id and method. */
const headBytes = 512;
/** Matches the beginning of most messages: an id if the message has one, then its method, result or error. */
const usualStartPattern =
	/^\{"jsonrpc": ?"2\.0", ?(?:"id": ?("(?:[^"\\]|\\.)*"|-?\d{1,15}), ?)?"(method|result|error)": ?(?:("(?:[^"\\]|\\.)*") ?[,}])?/;

/**
 * Returns the head of a message whose members have the usual order; undefined for other messages.
 *
 * If the id comes after the method, result or error, the head has no id.
 */
function scanHead(body: Buffer): MessageHead | undefined {
	const [all, id, member, value] = usualStartPattern.exec(body.toString('utf8', 0, headBytes)) ?? [];
	if (all === undefined || (member === 'method' && value === undefined)) return undefined;
	return {
		...(id !== undefined && { id: JSON.parse(id) as MessageId }),
		...(member === 'method' && value !== undefined && { method: JSON.parse(value) as string }),
	};
}

/** Reads the head of a message of any client; empty if the bytes are not a JSON object. */
export function parseMessageHead(body: Buffer): MessageHead {
	try {
		const head = scanHead(body);
		if (head?.id !== undefined) return head;
	} catch {
		// The id or method is not valid JSON, so neither is the message.
		return {};
	}
	const { id, method } = parseMembers(body);
	return {
		...((typeof id === 'string' || typeof id === 'number') && { id }),
		...(typeof method === 'string' && { method }),
	};
}

/** Reads the head of a daemon's message, in which the id precedes the method and the params. */
export function readDaemonHead(body: Buffer): MessageHead {
	return scanHead(body) ?? {};
}

/** Returns the members of a message; an empty object if the bytes are not a JSON object. */
export function parseMembers(body: Buffer): Fields {
	try {
		const value = parseBody(body);
		return isFields(value) ? value : {};
	} catch {
		return {};
	}
}

/** Returns the params of a message; an empty object if the params are not an object. */
export function parseMessageParams(body: Buffer): Fields {
	const { params } = parseMembers(body);
	return isFields(params) ? params : {};
}

/** Returns the bytes of a message, without its frame. */
export function serializeMessage(members: Fields): Buffer {
	return Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...members }));
}

/** Returns the bytes of a message with another id. */
export function replaceId(body: Buffer, id: MessageId): Buffer {
	return serializeMessage({ ...parseMembers(body), id });
}

/** Maximum bytes of a body that is copied into one chunk with its header. */
const maxCopiedBytes = 256 * 1024;

/** Returns the chunks of a framed message: one, or several if the body is longer than 256 KiB. */
export function frameMessage(body: Buffer, framing: Framing): Buffer[] {
	const before = framing === 'ndjson' ? '' : `Content-Length: ${body.length}\r\n\r\n`;
	const after = framing === 'ndjson' ? '\n' : '';
	if (body.length > maxCopiedBytes)
		return [Buffer.from(before), body, Buffer.from(after)].filter(({ length }) => length > 0);
	const frame = Buffer.allocUnsafe(before.length + body.length + after.length);
	frame.write(before, 0, 'latin1');
	body.copy(frame, before.length);
	frame.write(after, before.length + body.length, 'latin1');
	return [frame];
}
