/** Reads the id and method of a message, which are all that a relay needs, in most cases without parsing the JSON. */

import { isFields } from '../core/shape.ts';
import { parseBody } from '../rpc/wire/decoder.ts';

export type MessageId = string | number;

/** A request has both members, a notification a method, a response an id; anything else has neither. */
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
		const value = parseBody(body);
		if (!isFields(value)) return {};
		const { id, method } = value;
		return {
			...((typeof id === 'string' || typeof id === 'number') && { id }),
			...(typeof method === 'string' && { method }),
		};
	} catch {
		return {};
	}
}

/** Reads the head of a daemon's message, in which the id precedes the method and the params. */
export function readDaemonHead(body: Buffer): MessageHead {
	return scanHead(body) ?? {};
}
