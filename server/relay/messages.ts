import { type Fields, isFields } from '../core/shape.ts';
import type { Framing } from '../protocol/capabilities.ts';
import { parseBody } from '../rpc/wire/decoder.ts';

/** Returns the members of a message; none if it is not a JSON object. */
export function parseMembers(body: Buffer): Fields {
	try {
		const value = parseBody(body);
		return isFields(value) ? value : {};
	} catch {
		return {};
	}
}

/** Returns the params of a message; none if they are not an object. */
export function paramsOf(body: Buffer): Fields {
	const { params } = parseMembers(body);
	return isFields(params) ? params : {};
}

/** Returns the bytes of a message, without its frame. */
export function serializeMessage(members: Fields): Buffer {
	return Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...members }));
}

/** A body of up to this many bytes is copied, to be sent together with its header. */
const maxCopiedBytes = 256 * 1024;

/** Returns the chunks of a framed message: one, unless it is long. */
export function frameOf(body: Buffer, framing: Framing): Buffer[] {
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
