import { describe, expect, it } from 'vitest';
import { CallFailure } from '../../../server/core/ask/callFailure.ts';
import { listTitles } from '../../../server/core/compact/summary/headings.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { ChainLink } from '../../../server/protocol/chain.ts';
import { appendMessages } from '../../../server/session/append.ts';
import type { CompactOptions } from '../../../server/session/compaction/request.ts';
import type { AskModel, ModelQuestion } from '../../../server/session/ports.ts';
import { prose, toolSession, user } from '../../support/messages.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../../support/world.ts';

const good = listTitles('neurolink')
	.map((title, index) => `## ${index + 1}. ${title}\n${index < 9 ? '- what was said' : '-'}`)
	.join('\n');
const one = { provider: 'openai', model: 'one' } as const;
const two = { provider: 'anthropic', model: 'two' } as const;
const extractive = { provider: 'extractive' } as const;

/** Returns a session with a chain of models; `replies` has the text or the error of each model by its name. */
async function sessionOf(chain: readonly ChainLink[], replies: Record<string, string | Error>) {
	const asked: (ModelQuestion & { model?: string })[] = [];
	const askModel: AskModel = async ({ model = '' }, question) => {
		asked.push({ ...question, model });
		const reply = replies[model] ?? new CallFailure('nobody is there', { retryable: false });
		if (reply instanceof Error) throw reply;
		return { text: reply, stopReason: 'stop' };
	};
	const test = testWorld({ askModel });
	test.configure({ summarization: { ...defaultSettings.summarization, chain } });
	const session = await sessionWith(test, toolSession(30));
	const compact = (order: CompactOptions = {}) => compactNow(session, { targetTokens: 3000, ...order });
	return { test, session, asked, compact };
}

describe('summarization.chain', () => {
	it('models of a chain are asked in order until one gives a usable answer', async () => {
		const { compact, asked } = await sessionOf([one, two, extractive], { two: good });
		const { summary } = await compact();
		expect(asked.map(({ model }) => model)).toEqual(['one', 'two']);
		expect(summary).toMatchObject({
			by: 'two',
			attempts: [
				{ model: 'one', provider: 'openai', ok: false, fallback: 'two', failure: { code: 'MODEL_FAILED' } },
				{ model: 'two', provider: 'anthropic', ok: true },
			],
		});
	});

	it('an extract is used if all models fail and the chain ends with it', async () => {
		const { compact } = await sessionOf([one, extractive], {});
		expect((await compact()).summary).toMatchObject({
			by: 'extract',
			attempts: [{ model: 'one', ok: false }],
		});
	});

	it('the oldest exchanges are removed if all models fail and the chain has no extract: ALL_MODELS_FAILED', async () => {
		const { compact, session } = await sessionOf([one, two], { two: 'Sure!' });
		const result = await compact();
		expect(result.compacted).toBe(true);
		expect(result.stagesUsed).not.toContain('summarize');
		expect(result.stagesUsed).toContain('truncate');
		const stage = result.stages.find((each) => each.stage === 'summarize');
		expect(stage?.reason).toMatch(/^ALL_MODELS_FAILED: one: nobody is there; two: INVALID_SUMMARY/);
		expect(stage?.failure).toMatchObject({ code: 'ALL_MODELS_FAILED', retryable: true });
		expect(stage?.failure?.tokensBefore).toBeGreaterThan(1000);
		expect(result.summary).toMatchObject({ text: '', by: 'none', attempts: [{ ok: false }, { ok: false }] });
		expect((await historyOf(session)).some(({ metadata }) => metadata?.isSummary)).toBe(false);
	});

	it('a refused answer is reported with its model and the tokens before and after', async () => {
		const { compact } = await sessionOf([one, extractive], { one: `${good}\n${prose(9000)}` });
		const { summary } = await compact();
		const failure = summary?.attempts[0]?.failure;
		expect(failure).toMatchObject({ code: 'CONTEXT_GROWTH', model: 'one', retryable: true });
		expect(failure?.tokensAfter).toBeGreaterThan(5000);
		expect(failure?.tokensBefore).toBeGreaterThan(1000);
	});

	it('a model is not asked if the call wants an extract, nor for a preview', async () => {
		const { compact, asked, session } = await sessionOf([one, extractive], { one: good });
		expect((await previewNow(session, { targetTokens: 3000 })).summary?.by).toBe('extract');
		const { summary } = await compact({ config: { summarizationProvider: 'extractive' } });
		expect(summary).toMatchObject({ by: 'extract', attempts: [] });
		expect(asked).toEqual([]);
	});

	it('a call can choose the models of one provider, and is warned if the chain has none of it', async () => {
		const chosen = await sessionOf([one, two, extractive], { two: good });
		const { summary } = await chosen.compact({ config: { summarizationProvider: 'anthropic' } });
		expect(summary).toMatchObject({ by: 'two', attempts: [{ ok: true }] });
		const wrong = await sessionOf([one, extractive], { one: good });
		const result = await wrong.compact({ config: { summarizationProvider: 'vertex' } });
		expect(result.warnings).toEqual([expect.stringContaining('"vertex": it names no entry')]);
		expect(result.summary?.by).toBe('one');
	});

	it('a model with a small window reads a conversation in pieces, each with the previous summary and the instructions', async () => {
		const { test, compact, asked } = await sessionOf([one, extractive], { one: good });
		test.configure({ models: { one: { contextWindow: 4000 } } });
		const { summary } = await compact({ instructions: 'Keep the port numbers.' });
		expect(summary?.by).toBe('one');
		expect(asked.length).toBeGreaterThan(2);
		for (const { prompt } of asked) expect(prompt).toContain('Keep the port numbers.');
		expect(asked[0]?.prompt).not.toContain('<earlier-summary>');
		for (const { prompt } of asked.slice(1)) expect(prompt).toContain('<earlier-summary>\n## 1. Primary');
		for (const { prompt, system } of asked) expect((prompt.length + system.length) / 4).toBeLessThan(4000);
	});

	it('a model whose window has no room for messages is not asked: NO_TOKEN_BUDGET', async () => {
		const { test, compact, asked } = await sessionOf([one, extractive], { one: good });
		test.configure({ models: { one: { contextWindow: 900 } } });
		const { summary } = await compact();
		expect(asked).toEqual([]);
		expect(summary).toMatchObject({
			by: 'extract',
			attempts: [{ ok: false, failure: { code: 'NO_TOKEN_BUDGET', retryable: false, model: 'one' } }],
		});
	});

	it('a model merges new messages into its earlier summary, and reads no message twice', async () => {
		const { test, compact, asked } = await sessionOf([one, extractive], { one: good });
		await compact();
		const before = asked.length;
		await test.store.run('s', test.client, async (session) => {
			await appendMessages(
				session,
				Array.from({ length: 12 }, (_, index) => user(`new${index}`, `news ${index} ${prose(200, index)}`)),
				'contextd',
				{ client: session.client },
			);
		});
		await compact({ targetTokens: 2500 });
		const prompts = asked.slice(before).map(({ prompt }) => prompt);
		expect(prompts[0]).toContain('<earlier-summary>\n## 1. Primary');
		expect(prompts[0]).not.toContain("Record, in the conversation's own words");
		expect(prompts[0]).toContain('news 3');
		const read = [...(asked[0]?.prompt ?? '').matchAll(/^\[([^\]]+)\] /gm)].map(([, id]) => id);
		expect(read.length).toBeGreaterThan(10);
		for (const id of read) expect(prompts.join('\n')).not.toContain(`[${id}] `);
	});
});
