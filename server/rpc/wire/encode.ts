import type { Message, ResponseMessage } from 'vscode-jsonrpc/node';
import type { Framing } from '../../protocol/capabilities.ts';
import { errorCodes } from '../../protocol/errors.ts';

function frame(text: string, framing: Framing): string {
	if (framing === 'ndjson') return `${text}\n`;
	return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function encodeResult(message: ResponseMessage, framing: Framing): string {
	const result = JSON.stringify(message.result);
	if (result === undefined) throw new TypeError('the result has no JSON form');
	return frame(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${result}}`, framing);
}

function isResponse(message: Message): message is ResponseMessage {
	return 'result' in message || 'error' in message;
}

/**
 * The text of a message in its frame. A response whose result or error data cannot be written as JSON
 * becomes an error response (-32603), so that the request is answered all the same; any other message
 * throws.
 * @param onUnserialisable told what was wrong with a response
 */
export function encodeMessage(
	message: Message,
	framing: Framing,
	onUnserialisable: (error: unknown) => void,
): string {
	if (!isResponse(message)) return frame(JSON.stringify(message), framing);
	try {
		return message.error === undefined
			? encodeResult(message, framing)
			: frame(JSON.stringify(message), framing);
	} catch (error) {
		onUnserialisable(error);
		const replacement =
			message.error === undefined
				? { code: errorCodes.internalError, message: 'the result cannot be written as JSON' }
				: { code: message.error.code, message: message.error.message };
		return frame(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: replacement }), framing);
	}
}
