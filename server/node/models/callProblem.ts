/** Converts errors of the AI SDK to failures with a message for the user, without keys, and whether a retry may help. */

import { APICallError } from 'ai';
import { CallFailure, isCallFailure } from '../../core/ask/callFailure.ts';
import { errorText } from '../../core/failure.ts';

/** Maximum length of an error message, in UTF-16 units. */
const maxMessageLength = 500;

/** Whether a retry may succeed after an HTTP status: timeout, conflict, too early, too many requests, server errors. */
function isTransient(status: number): boolean {
	return [408, 409, 425, 429].includes(status) || status >= 500;
}

/** Returns the milliseconds to wait before a retry, from headers with seconds, milliseconds or a date. */
function readRetryMs(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
	const exactMs = Number.parseFloat(headers?.['retry-after-ms'] ?? '');
	if (exactMs >= 0) return exactMs;
	const text = headers?.['retry-after'];
	if (text === undefined) return undefined;
	if (/^\s*\d+(?:\.\d+)?\s*$/.test(text)) return Number(text) * 1000;
	const date = Date.parse(text);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export function removeSecrets(text: string, secrets: readonly string[]): string {
	return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[key]'), text);
}

/** Matches messages about broken connections, from errors of Node's `fetch` and the SDK that have no code. */
const brokenConnectionPattern = /^(?:terminated|fetch failed|Response stream ended without .*)$/;

/** Whether an error means that a connection failed or broke. */
function isConnectionError(error: unknown): boolean {
	for (let one: unknown = error; one instanceof Error; one = one.cause) {
		if ('code' in one && /^(?:E[A-Z]+|UND_ERR_.+)$/.test(String(one.code))) return true;
		if (brokenConnectionPattern.test(one.message)) return true;
	}
	return false;
}

/** Joins the distinct messages of an error and its causes. */
function joinMessages(error: unknown): string {
	const texts: string[] = [];
	for (let one: unknown = error; one instanceof Error; one = one.cause) {
		if (one.message !== '' && !texts.some((text) => text.includes(one.message))) texts.push(one.message);
	}
	return texts.join(': ') || errorText(error);
}

/** Converts an error of a call to a failure; `now` is in milliseconds since the epoch. */
export function toCallFailure(error: unknown, secrets: readonly string[], now: number): CallFailure {
	const safeText = (text: string): string => removeSecrets(text, secrets).slice(0, maxMessageLength);
	if (isCallFailure(error)) return error;
	const { statusCode: status = 0, responseHeaders } = APICallError.isInstance(error) ? error : {};
	if (!(error instanceof Error) || status < 300)
		return new CallFailure(safeText(joinMessages(error)), { retryable: isConnectionError(error) });
	const retryMs = readRetryMs(responseHeaders, now);
	return new CallFailure(safeText(`${status}: ${error.message}`), {
		retryable: isTransient(status),
		...(retryMs !== undefined && { retryAfterMs: retryMs }),
	});
}
