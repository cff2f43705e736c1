/** Converts errors of the AI SDK: a message for the user without keys, and whether a retry may help. */

import { APICallError } from 'ai';
import { CallFailure, isCallFailure } from '../../core/ask/callFailure.ts';
import { errorText } from '../../core/failure.ts';

/** Maximum length of an error message. UTF-16 units. */
const maxMessageLength = 500;

/** HTTP statuses after which a retry may succeed: timeout, conflict, too early, too many requests, server errors. */
function isTransient(status: number): boolean {
	return [408, 409, 425, 429].includes(status) || status >= 500;
}

/** Milliseconds to wait before a retry, from headers in seconds, milliseconds or as a date. */
export function retryAfterMs(
	headers: Readonly<Record<string, string>> | undefined,
	now: number,
): number | undefined {
	const exact = Number.parseFloat(headers?.['retry-after-ms'] ?? '');
	if (exact >= 0) return exact;
	const text = headers?.['retry-after'];
	if (text === undefined) return undefined;
	if (/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** A text with all secrets replaced. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
	return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
}

/** Messages of errors of Node's `fetch` and of the SDK that have no code. */
const brokenConnection = /^(?:terminated|fetch failed|Response stream ended without .*)$/;

/** Whether an error means that a connection failed or broke. */
function isConnection(error: unknown): boolean {
	for (let one: unknown = error; one instanceof Error; one = one.cause) {
		if ('code' in one && /^(?:E[A-Z]+|UND_ERR_.+)$/.test(String(one.code))) return true;
		if (brokenConnection.test(one.message)) return true;
	}
	return false;
}

/** Joins the messages of an error and its causes. */
function rootText(error: unknown): string {
	const texts: string[] = [];
	for (let one: unknown = error; one instanceof Error; one = one.cause) {
		if (one.message !== '' && !texts.some((text) => text.includes(one.message))) texts.push(one.message);
	}
	return texts.join(': ') || errorText(error);
}

/** Converts an error to a failure. */
export function callFailure(error: unknown, secrets: readonly string[], now: number): CallFailure {
	const safeText = (text: string): string => withoutSecrets(text, secrets).slice(0, maxMessageLength);
	if (isCallFailure(error)) return error;
	const { statusCode: status = 0, responseHeaders } = APICallError.isInstance(error) ? error : {};
	if (!(error instanceof Error) || status < 300) {
		return new CallFailure(safeText(rootText(error)), { retryable: isConnection(error) });
	}
	const wait = retryAfterMs(responseHeaders, now);
	return new CallFailure(safeText(`${status}: ${error.message}`), {
		retryable: isTransient(status),
		...(wait !== undefined && { retryAfterMs: wait }),
	});
}
