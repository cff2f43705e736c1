/** What the errors of the AI SDK say: for the user, without a key, and whether another attempt may help. */

import { APICallError } from 'ai';
import { CallFailure, isCallFailure } from '../../core/ask/callFailure.ts';
import { errorText } from '../../core/failure.ts';

/** UTF-16 units of what is told of an error. */
const longest = 500;

/** Statuses of HTTP after which the same call may succeed: timeout, conflict, too early, too many, and server faults. */
function isPassing(status: number): boolean {
	return [408, 409, 425, 429].includes(status) || status >= 500;
}

/** Milliseconds that the other side wants to be left alone for, where it says so in seconds, milliseconds or by a date. */
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

/** A text without any of the secrets that may stand in it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
	return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), text);
}

/** What errors of Node's `fetch` and of the SDK say that have no code. */
const brokenConnection = /^(?:terminated|fetch failed|Response stream ended without .*)$/;

/** Codes of errors of a connection that was not made, or broke. */
function isConnection(error: unknown): boolean {
	for (let one: unknown = error; one instanceof Error; one = one.cause) {
		if ('code' in one && /^(?:E[A-Z]+|UND_ERR_.+)$/.test(String(one.code))) return true;
		if (brokenConnection.test(one.message)) return true;
	}
	return false;
}

/** The errors behind an error that name what really happened. */
function rootText(error: unknown): string {
	const texts: string[] = [];
	for (let one: unknown = error; one instanceof Error; one = one.cause) {
		if (one.message !== '' && !texts.some((text) => text.includes(one.message))) texts.push(one.message);
	}
	return texts.join(': ') || errorText(error);
}

/** The failure that an error amounts to. */
export function callFailure(error: unknown, secrets: readonly string[], now: number): CallFailure {
	const told = (text: string): string => withoutSecrets(text, secrets).slice(0, longest);
	if (isCallFailure(error)) return error;
	const { statusCode: status = 0, responseHeaders } = APICallError.isInstance(error) ? error : {};
	if (!(error instanceof Error) || status < 300) {
		return new CallFailure(told(rootText(error)), { retryable: isConnection(error) });
	}
	const wait = retryAfterMs(responseHeaders, now);
	return new CallFailure(told(`${status}: ${error.message}`), {
		retryable: isPassing(status),
		...(wait !== undefined && { retryAfterMs: wait }),
	});
}
