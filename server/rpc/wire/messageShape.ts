import type { Message, ResponseMessage } from 'vscode-jsonrpc/node';
import { type Fields, isFields } from '../../core/shape.ts';
import { errorCodes } from '../../protocol/errors.ts';
import { shown } from './shown.ts';

/** What may be done with a JSON value that came in. */
export type Screened =
	| { kind: 'message'; message: Message; id: string | number | null }
	| { kind: 'refused'; reason: string; id: string | number | null }
	| { kind: 'ignored'; reason: string };

function isUsableId(id: unknown): id is string | number {
	return typeof id === 'string' || typeof id === 'number';
}

function screenCall(value: Fields): Screened {
	const id = isUsableId(value.id) ? value.id : null;
	if (typeof value.method !== 'string') {
		return { kind: 'refused', reason: `method: expected a string, got ${shown(value.method)}`, id };
	}
	if (value.id !== undefined && id === null) {
		return { kind: 'refused', reason: `id: expected a string or a number, got ${shown(value.id)}`, id };
	}
	if (value.method === '$/cancelRequest') {
		const target = isFields(value.params) ? value.params.id : undefined;
		if (id === null && !isUsableId(target)) {
			return { kind: 'ignored', reason: '$/cancelRequest without the id of a request' };
		}
	}
	return { kind: 'message', message: { ...value, jsonrpc: '2.0' }, id };
}

/**
 * Tells a JSON-RPC message from anything else. A missing `jsonrpc` member is accepted. A response that has
 * neither result nor error, to a request of ours, becomes an error response, so that nobody waits for ever.
 * @param isAwaited whether a request of ours with that id is unanswered
 */
export function screenMessage(value: unknown, isAwaited: (id: string | number) => boolean): Screened {
	if (Array.isArray(value)) {
		return {
			kind: 'refused',
			reason: 'batches are not supported: expected one object, got array',
			id: null,
		};
	}
	if (!isFields(value)) {
		return { kind: 'refused', reason: `expected an object, got ${shown(value)}`, id: null };
	}
	const id = isUsableId(value.id) ? value.id : null;
	if (value.jsonrpc !== undefined && value.jsonrpc !== '2.0') {
		return { kind: 'refused', reason: `jsonrpc: expected "2.0", got ${shown(value.jsonrpc)}`, id };
	}
	if (value.method !== undefined) return screenCall(value);
	const isAnswer = value.result !== undefined || Boolean(value.error);
	if (isAnswer && (id !== null || value.id === null)) {
		return { kind: 'message', message: { ...value, jsonrpc: '2.0' }, id };
	}
	if (id !== null && isAwaited(id)) {
		const error = {
			code: errorCodes.invalidRequest,
			message: 'the response has neither a result nor an error',
		};
		const response: ResponseMessage = { jsonrpc: '2.0', id, error };
		return { kind: 'message', message: response, id };
	}
	return { kind: 'refused', reason: 'expected a request, a notification or a response', id };
}
