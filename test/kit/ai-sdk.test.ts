import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV3 } from 'ai/test';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AiSdkContext, createAiSdkContext } from '../../kit/aiSdk/index.ts';
import { estimateTokens } from '../../server/core/measure/text/textCounter.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { memoryStore } from './host.ts';

const daemon = fileURLToPath(new URL('../../dist/contextd.cjs', import.meta.url));
const steps = 20;
const window = 32_000;

let context: AiSdkContext | undefined;

// Stops timeouts, because the daemon may be slow on a busy machine. Other tests check how long a request waits.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));

afterEach(async () => {
	await context?.close();
	context = undefined;
	vi.useRealTimers();
	await removeFolders();
});

function startContext(): AiSdkContext {
	if (!existsSync(daemon)) throw new Error(`${daemon} is missing: run "npm run build" first`);
	context = createAiSdkContext({
		sessionId: 'ai-sdk:test',
		model: 'mock-model',
		contextWindow: window,
		maxOutputTokens: 8000,
		store: memoryStore(),
		daemon: {
			command: [process.execPath, daemon, '--stdio'],
			env: { CONTEXTD_HOME: freshFolder() },
		},
	});
	return context;
}

type Prompt = MockLanguageModelV3['doGenerateCalls'][number]['prompt'];

const tokensOf = (prompt: Prompt) => estimateTokens(JSON.stringify(prompt));

/** The provider's error for a prompt that exceeds the window. */
class TooLong extends Error {
	readonly statusCode = 400;
}

/** Returns a model that calls the tool `build` in every step but the last, and reports the tokens of each prompt. */
function builder(limit = window) {
	const prompts: Prompt[] = [];
	const refused: Prompt[] = [];
	function answer(prompt: Prompt) {
		const tokens = tokensOf(prompt);
		if (tokens > limit) {
			refused.push(prompt);
			throw new TooLong(`prompt is too long: ${tokens} tokens > ${limit} maximum`);
		}
		prompts.push(prompt);
		const no = prompts.length;
		const input = { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 };
		const usage = { inputTokens: input, outputTokens: { total: 40, text: 40, reasoning: 0 } };
		const isLast = no >= steps;
		return {
			usage,
			finishReason: { unified: isLast ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
			part: isLast
				? { type: 'text' as const, text: 'All parts were built.' }
				: {
						type: 'tool-call' as const,
						toolCallId: `call-${no}`,
						toolName: 'build',
						input: JSON.stringify({ part: no }),
					},
		};
	}
	const model = new MockLanguageModelV3({
		async doGenerate({ prompt }) {
			const { part, ...rest } = answer(prompt);
			return { ...rest, content: [part], warnings: [] };
		},
		async doStream({ prompt }) {
			const { part, ...rest } = answer(prompt);
			const said =
				part.type === 'text'
					? [
							{ type: 'text-start' as const, id: 't' },
							{ type: 'text-delta' as const, id: 't', delta: part.text },
							{ type: 'text-end' as const, id: 't' },
						]
					: [part];
			return {
				stream: convertArrayToReadableStream([
					{ type: 'stream-start' as const, warnings: [] },
					...said,
					{ type: 'finish' as const, ...rest },
				]),
			};
		},
	});
	return { model, prompts, refused };
}

const tools = {
	build: tool({
		description: 'Builds a part.',
		inputSchema: jsonSchema<{ part: number }>({ type: 'object', properties: { part: { type: 'number' } } }),
		execute: async ({ part }) =>
			Array.from(
				{ length: 140 },
				(_, line) => `${part}.${line}: unit ${(part * 31 + line * 7) % 97} was built`,
			).join('\n'),
	}),
};

const task = { tools, prompt: 'Build all parts of the house.', stopWhen: stepCountIs(steps) };

/** Expects that all prompts fit, and that each prompt extends the previous one unless a decision was made. */
function expectHeld(prompts: readonly Prompt[]): void {
	expect(prompts).toHaveLength(steps);
	let decisions = 0;
	for (const [index, prompt] of prompts.entries()) {
		expect(tokensOf(prompt)).toBeLessThan(window - 8000);
		expect(JSON.stringify(prompt)).toContain('Build all parts of the house.');
		const before = (prompts[index - 1] ?? []).map((message) => JSON.stringify(message));
		if (!before.every((message, place) => message === JSON.stringify(prompt[place]))) decisions++;
	}
	expect(decisions).toBeGreaterThan(0);
	expect(decisions).toBeLessThanOrEqual(steps / 8);
}

describe('contextd/ai-sdk', () => {
	it('20 steps of generateText stay within the window by prepareStep', async () => {
		const { model, prompts } = builder();
		const { prepareStep } = startContext();
		const { text } = await generateText({ ...task, model, prepareStep });
		expect(text).toBe('All parts were built.');
		expectHeld(prompts);
	});

	it('20 steps of streamText stay within the window by prepareStep', async () => {
		const { model, prompts } = builder();
		const { prepareStep } = startContext();
		const result = streamText({ ...task, model, prepareStep });
		expect(await result.text).toBe('All parts were built.');
		expectHeld(prompts);
	});

	it.each(['generateText', 'streamText'] as const)(
		'20 steps of %s stay within the window by middleware',
		async (how) => {
			const { model, prompts } = builder();
			const { middleware, stats } = startContext();
			const wrapped = wrapLanguageModel({ model, middleware });
			const { text } =
				how === 'generateText'
					? await generateText({ ...task, model: wrapped })
					: streamText({ ...task, model: wrapped });
			expect(await text).toBe('All parts were built.');
			expectHeld(prompts);
			expect(stats()?.source).toBe('anchored');
		},
	);

	it('a refused prompt is sent again shorter', async () => {
		const { model, prompts, refused } = builder(14_000);
		const { middleware } = startContext();
		const { text } = await generateText({ ...task, model: wrapLanguageModel({ model, middleware }) });
		expect(text).toBe('All parts were built.');
		expect(refused.length).toBeGreaterThan(0);
		expect(prompts).toHaveLength(steps);
	});

	it('recall, describe, compact and undo work on a conversation of the AI SDK', async () => {
		const { model } = builder();
		const { prepareStep, recall, describe: told, compact, undo } = startContext();
		await generateText({ ...task, model, prepareStep });
		expect(await recall('call-3')).toContain('3.139: unit');
		expect(await recall('unit house')).toContain('messages');
		expect(await told()).toMatch(/tokens \(<?\d+%\)/);
		expect((await compact()).done).toBe(true);
		expect((await undo()).done).toBe(true);
	});
});
