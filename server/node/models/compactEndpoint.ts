/**
 * The Responses API's own compaction, `POST {baseURL}/responses/compact`, which the AI SDK does not support.
 *
 * The endpoint returns the user's messages unchanged, and one opaque item that replaces all other items of the request
 * (https://platform.openai.com/docs/api-reference/responses/compact).
 */

import { APICallError } from 'ai';
import { CallFailure } from '../../core/ask/callFailure.ts';
import { isFields, tryParseJson } from '../../core/shape.ts';
import type { ChainLink } from '../../protocol/chain.ts';
import type { ModelQuestion, ModelReply } from '../../session/ports.ts';
import type { ProviderAccess } from './access.ts';
import { removeSecrets } from './callProblem.ts';
import { guardedFetch } from './guardedFetch.ts';

/** Returns the message in the body of an error; the whole body if it contains no message. */
function parseErrorMessage(body: string): string {
	const value = tryParseJson(body)?.value;
	const error = isFields(value) ? value.error : undefined;
	return isFields(error) && typeof error.message === 'string' ? error.message : body;
}

function toCount(value: unknown): number | undefined {
	return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function parseUsage(value: unknown): Pick<ModelReply, 'usage'> {
	const { input_tokens, output_tokens } = isFields(value) ? value : {};
	const [input, output] = [toCount(input_tokens), toCount(output_tokens)];
	return input === undefined || output === undefined ? {} : { usage: { input, output } };
}

function readReply(body: string, model: string): ModelReply {
	const document = tryParseJson(body);
	if (!document) throw new CallFailure('the answer was interrupted', { retryable: true });
	const { output, usage } = isFields(document.value) ? document.value : {};
	const items = Array.isArray(output) ? output : [];
	return { text: '', stopReason: 'stop', model, items, ...parseUsage(usage) };
}

/**
 * Lets the provider compact the items of a conversation. The result contains no secrets.
 *
 * Rejects with the signal's reason if the signal is aborted, and with `APICallError` if the provider refuses.
 */
export async function compactAtEndpoint(
	{ model = '', headers }: ChainLink,
	{ baseURL, apiKey }: ProviderAccess,
	{ items, system }: ModelQuestion,
	{ signal, secrets }: { signal: AbortSignal; secrets: readonly string[] },
): Promise<ModelReply> {
	if (!items) throw new CallFailure('openai-compact can only compact conversations', { retryable: false });
	const url = `${baseURL.replace(/(?<!\/)\/+$/, '')}/responses/compact`;
	const response = await guardedFetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
			...headers,
		},
		body: JSON.stringify({ model, input: items, ...(system !== '' && { instructions: system }) }),
		signal,
	});
	const body = removeSecrets(await response.text(), secrets);
	if (response.ok) return readReply(body, model);
	throw new APICallError({
		message: parseErrorMessage(body) || response.statusText,
		url,
		requestBodyValues: {},
		statusCode: response.status,
		responseHeaders: Object.fromEntries(response.headers),
	});
}
