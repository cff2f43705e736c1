import { expect, it } from 'vitest';
import { contextClassifyError } from '../../../server/protocol/overflow.ts';
import { sharedApp } from '../../support/app.ts';

const app = sharedApp();

it('classifyError recognizes a silent overflow by its usage and the window', async () => {
	const usage = { input: 150_000, output: 9, cacheRead: 10 };
	expect(await app.ask(contextClassifyError, { usage, contextWindow: 128_000 })).toEqual({
		isContextOverflow: true,
		provider: null,
		actualTokens: 150_010,
		retryable: false,
	});
	const within = await app.ask(contextClassifyError, { usage, contextWindow: 200_000 });
	expect(within.isContextOverflow).toBe(false);
});

it('classifyError uses the isRetryable of a library except for overflows', async () => {
	const answers = await Promise.all(
		[
			{ statusCode: 503, isRetryable: false },
			{ statusCode: 503 },
			{ statusCode: 400, isRetryable: false, message: 'prompt is too long: 9000 tokens > 8000 maximum' },
		].map((error) => app.ask(contextClassifyError, { error })),
	);
	expect(answers.map(({ isContextOverflow, retryable }) => [isContextOverflow, retryable])).toEqual([
		[false, false],
		[false, true],
		[true, false],
	]);
});

it('classifyError refuses an invalid usage', async () => {
	const { code, message } = await app.refusal('context/classifyError', { usage: { input: -1, output: 0 } });
	expect(code).toBe(-32602);
	expect(message).toContain('params.usage.input');
});
