/** What a relay needs to know of a message: its id and method. Most messages need not be parsed for that. */

import { isFields } from '../core/shape.ts';
import { parseBody } from '../rpc/wire/decoder.ts';

export type MessageId = string | number;

/** A request has both members, a notification a method, a response an id; what is no message has neither. */
export interface MessageHead {
	id?: MessageId;
	method?: string;
}

/** Bytes within which most messages name their id and method. */
const headBytes = 512;
const opening = /^\s*\{/;
const member =
	/\s*"(jsonrpc|id|method)"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)\s*(?:,|(\}))/y;
const outcome = /\s*"(?:result|error)"\s*:/y;

/** Members before the first one that is none of `jsonrpc`, `id` and `method`, and whether no other can matter. */
function scan(body: Buffer): MessageHead & { isCertain: boolean } {
	const text = body.toString('utf8', 0, headBytes);
	const head: { id?: MessageId; method?: string } = {};
	const begin = opening.exec(text);
	if (begin === null) return { isCertain: false };
	let position = begin[0].length;
	for (;;) {
		member.lastIndex = position;
		const [all, name, value = '', end] = member.exec(text) ?? [];
		if (all === undefined) break;
		if (name === 'id') head.id = JSON.parse(value) as MessageId;
		if (name === 'method' && value.startsWith('"')) head.method = JSON.parse(value) as string;
		if (end !== undefined) return { ...head, isCertain: true };
		position = member.lastIndex;
	}
	outcome.lastIndex = position;
	const isResponse = head.method === undefined && outcome.test(text);
	return { ...head, isCertain: head.id !== undefined && (head.method !== undefined || isResponse) };
}

/** Reads the head of a message of any client; of bytes that are no JSON object, an empty one. */
export function readHead(body: Buffer): MessageHead {
	try {
		const { isCertain, ...head } = scan(body);
		if (isCertain) return head;
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

/** As `readHead`, for a message of the daemon, which writes the id of each message before its method and params. */
export function readOwnHead(body: Buffer): MessageHead {
	const { isCertain: _, ...head } = scan(body);
	return head;
}
