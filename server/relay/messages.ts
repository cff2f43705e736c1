import { type Fields, isFields } from '../core/shape.ts';
import type { Framing } from '../protocol/capabilities.ts';
import { parseBody } from '../rpc/wire/decoder.ts';
import type { MessageId } from './messageHead.ts';

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
	if (body.length > maxCopiedBytes) {
		return [Buffer.from(before), body, Buffer.from(after)].filter(({ length }) => length > 0);
	}
	const frame = Buffer.allocUnsafe(before.length + body.length + after.length);
	frame.write(before, 0, 'latin1');
	body.copy(frame, before.length);
	frame.write(after, before.length + body.length, 'latin1');
	return [frame];
}
