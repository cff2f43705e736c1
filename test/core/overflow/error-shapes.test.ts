import { describe, expect, it } from 'vitest';
import { classifyError } from '../../../server/core/overflow/classify.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

describe('shapes of overflow errors', () => {
	const tooLong = 'prompt is too long: 213462 tokens > 200000 maximum';
	const errorClass = {
		isContextOverflow: true,
		provider: 'anthropic',
		actualTokens: 213462,
		limitTokens: 200000,
	};

	it.each<[string, unknown]>([
		['an Error', new Error(tooLong)],
		['a cause two levels down', new Error('a', { cause: new Error('b', { cause: new Error(tooLong) }) })],
		['an HTTP body', { type: 'error', error: { type: 'invalid_request_error', message: tooLong } }],
		['a body as text', JSON.stringify({ error: { message: tooLong } })],
		[
			'response.data',
			{ message: 'Request failed', response: { status: 400, data: { error: { message: tooLong } } } },
		],
		[
			'responseBody as text',
			{
				statusCode: 400,
				message: 'Bad Request',
				responseBody: JSON.stringify({ error: { message: tooLong } }),
			},
		],
		['body', { status: 400, body: { message: tooLong } }],
		[
			'a retry error after rate limits',
			{ message: 'Failed after 3 attempts.', errors: [new Error('429 rate limit'), new Error(tooLong)] },
		],
		[
			'JSON in a message in JSON',
			{ message: JSON.stringify({ error: { message: JSON.stringify({ message: tooLong }) } }) },
		],
	])('an overflow is detected in %s', (_, error) => {
		expect(classifyError(error)).toMatchObject(errorClass);
	});

	it.each<[string, unknown, string | null]>([
		['a code', { error: { code: 'context_length_exceeded', message: 'Nope.' } }, 'openai'],
		['a type', { type: 'error', error: { type: 'request_too_large', message: 'Nope.' } }, 'anthropic'],
		['a stop reason', { stop_reason: 'model_context_window_exceeded' }, 'zai'],
		['status 413', { status: 413, message: 'Payload Too Large' }, null],
		['the name of the provider', { provider: 'Azure', code: 'context_length_exceeded' }, 'azure'],
	])('an overflow is detected from %s alone', (_, error, provider) => {
		expect(classifyError(error)).toMatchObject({ isContextOverflow: true, provider, retryable: false });
	});

	it.each<[string, unknown, boolean]>([
		['a server error', { statusCode: 503, isRetryable: false }, false],
		['a rate limit', { status: 429, message: 'Too many requests', isRetryable: false }, false],
		['a network failure', new Error('x', { cause: { message: 'ECONNRESET', isRetryable: false } }), false],
		['a server error that may pass', { statusCode: 503, isRetryable: true }, true],
		['a bad request that its library would send again', { statusCode: 400, isRetryable: true }, false],
	])("a library's mark that an error is final is respected: %s", (_, error, retryable) => {
		expect(classifyError(error)).toMatchObject({ isContextOverflow: false, retryable });
	});

	it('an overflow is never retryable, whatever its library says', () => {
		const said = { statusCode: 400, isRetryable: false, message: tooLong };
		expect(classifyError(said)).toMatchObject(errorClass);
		expect(classifyError({ ...said, isRetryable: true })).toMatchObject({ ...errorClass, retryable: false });
	});

	it('the figures of an overflow are read from fields', () => {
		const body = {
			error: { type: 'exceed_context_size_error', message: 'too big', n_prompt_tokens: 5210, n_ctx: 4096 },
		};
		expect(classifyError(body)).toMatchObject({
			actualTokens: 5210,
			limitTokens: 4096,
			provider: 'llama.cpp',
		});
	});

	it.each<[string, unknown]>([
		['throttling by its name', { name: 'ThrottlingException', message: 'Too many tokens, please wait.' }],
		['throttling by its status', { status: 429, body: 'Too many tokens' }],
		['a server at its limits', { status: 503, error: { type: 'overloaded_error' } }],
	])('%s is a retryable error, not an overflow', (_, error) => {
		expect(classifyError(error)).toMatchObject({ isContextOverflow: false, retryable: true });
	});

	it.each<[string, unknown]>([
		['nothing', undefined],
		['null', null],
		['a number', 413],
		['an empty object', {}],
		['an array', [[[]]]],
		[
			'a getter that throws',
			Object.defineProperty({}, 'message', {
				get: () => {
					throw new Error('no');
				},
				enumerable: true,
			}),
		],
	])('%s is no overflow', (_, error) => {
		expect(classifyError(error)).toEqual({ isContextOverflow: false, provider: null, retryable: false });
	});

	it('errors with cycles and deep nesting are classified', () => {
		const cycle: Record<string, unknown> = { message: 'x' };
		cycle.cause = cycle;
		cycle.error = { response: cycle };
		expect(classifyError(cycle).isContextOverflow).toBe(false);
		let deep: unknown = { message: tooLong };
		for (let level = 0; level < 10_000; level++) deep = { cause: deep };
		expect(classifyError(deep).isContextOverflow).toBe(false);
	});
});

it.each([
	['of one letter', 'a'.repeat(5_000_000)],
	['of digits', '9'.repeat(5_000_000)],
	['of open braces', '{"a":'.repeat(200_000)],
	['of near misses', 'maximum context length is 1 tokens '.repeat(100_000)],
	['of numbers', 'limit 1 tokens input exceeds '.repeat(100_000)],
	['of blanks', ' '.repeat(5_000_000)],
])('megabytes %s are classified quickly', (_, text) => {
	const spent = processorClock();
	classifyError(text);
	classifyError({ message: text, error: { message: text }, body: text });
	expect(spent()).toBeLessThan(500 * machineSlowness());
});

it('the message of an error is found at the end of megabytes', () => {
	const text = `${'x'.repeat(3_000_000)} prompt is too long: 213462 tokens > 200000 maximum`;
	expect(classifyError(text)).toMatchObject({ isContextOverflow: true, actualTokens: 213462 });
});
