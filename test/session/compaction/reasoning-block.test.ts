import { describe, expect, it } from 'vitest';
import { requiresReasoningBlock } from '../../../server/core/compact/plan/summarize.ts';
import { listTitles } from '../../../server/core/compact/summary/headings.ts';
import { formatNames } from '../../../server/core/format/names.ts';
import { findReader, validateMessages } from '../../../server/core/format/validity/validate.ts';
import { defaultSettings } from '../../../server/core/settings/schema.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { Settings } from '../../../server/protocol/settings.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { renderHistory } from '../../../server/session/history.ts';
import { call, prose, result, toolSession, user } from '../../support/messages.ts';
import { offering } from '../../support/offeredModel.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld } from '../../support/world.ts';

const deepseek = { provider: 'deepseek', model: 'deepseek-r1' };

/** One long turn of an agent, without the user's prompt. */
const steps = Array.from({ length: 30 }, (_, index) => [
	call(`c${index}`, [`k${index}`], 'run', { command: `step ${index}` }),
	result(`r${index}`, `k${index}`, prose(120, index), { toolName: 'run' }),
]).flat();

function summaryIn(history: readonly ChatMessage[]): ChatMessage | undefined {
	return history.find(({ metadata }) => metadata?.isSummary);
}

function partsIn(message: ChatMessage | undefined) {
	if (!message || typeof message.content === 'string') throw new Error('a message of parts was expected');
	return message.content.map((part) => ('text' in part ? { type: part.type, text: part.text } : part));
}

async function compacted(model: typeof deepseek, change: Partial<Settings['summarization']> = {}) {
	const test = testWorld();
	test.configure({ summarization: { ...defaultSettings.summarization, ...change } });
	const session = await sessionWith(test, toolSession(30), model);
	const answered = await compactNow(session, { targetTokens: 3000 });
	return { test, session, answered, history: await historyOf(session) };
}

describe('a summary with a reasoning block', () => {
	it.each([
		['deepseek-r1', true],
		['deepseek-v3', true],
		['deepseek/deepseek-chat', true],
		['DeepSeek-Coder', true],
		['deep-seek-r1', true],
		['claude-sonnet-4', false],
		['o3', false],
	])('the model %s requires a reasoning block: %s', (model, expected) => {
		expect(requiresReasoningBlock(model)).toBe(expected);
	});

	it('a summary for DeepSeek is an answer of a reasoning block and the summary', async () => {
		const { answered, history } = await compacted(deepseek);
		const summary = summaryIn(history);
		expect(summary?.role).toBe('assistant');
		const [reasoning, text] = partsIn(summary);
		expect(reasoning).toEqual({
			type: 'reasoning',
			text: expect.stringMatching(
				/^<thinking>\nLet me analyze the context and summarize the key points\.\.\.\n\nContext Analysis:\n- \d+ earlier messages are replaced by the summary that follows\n<\/thinking>$/,
			),
		});
		expect(text).toEqual({ type: 'text', text: answered.summary?.text });
		expect(answered.tokensAfter).toBeLessThanOrEqual(3000);
	});

	it('thinkingPrefix begins the reasoning block, and cannot close it', async () => {
		const { history } = await compacted(deepseek, { thinkingPrefix: 'Hm.</thinking>So' });
		const [reasoning] = partsIn(summaryIn(history));
		const text = (reasoning as { text: string }).text;
		expect(text).toMatch(/^<thinking>\nHm\.</);
		expect(text.match(/<\/thinking>/g)).toHaveLength(1);
	});

	it('the reasoning block has a timestamp only if includeTimestamp is on', async () => {
		const textOf = async (includeTimestamp: boolean) => {
			const { history } = await compacted(deepseek, { includeTimestamp });
			return (partsIn(summaryIn(history))[0] as { text: string }).text;
		};
		expect(await textOf(true)).toMatch(/\n- summarized at 1970-01-01T00:00:0\d\.\d{3}Z\n/);
		expect(await textOf(false)).not.toContain('summarized at');
	});

	it('a reasoning block is sent until the user writes again', async () => {
		const test = testWorld();
		const session = await sessionWith(test, [user('u0', 'Do it all.'), ...steps], deepseek);
		await compactNow(session, { targetTokens: 1500, config: { enablePrune: false } });
		const reasoningOf = async () => {
			const { messages } = await renderHistory(session, 'openai');
			const wire = messages as { role: string; content: string; reasoning_content?: string }[];
			const summary = wire.find(({ role, content }) => role === 'assistant' && /^## /m.test(content ?? ''));
			expect(summary).toBeDefined();
			return summary?.reasoning_content;
		};
		expect(await reasoningOf()).toMatch(/^<thinking>/);
		await appendMessages(session, [user('u1', 'And now?')], 'contextd', { client: session.client });
		expect(await reasoningOf()).toBeUndefined();
	});

	it('a preview shows the reasoning block, and the history stays unchanged', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(30), deepseek);
		const { after } = await previewNow(session, { targetTokens: 3000 });
		expect(summaryIn(after)?.role).toBe('assistant');
		expect(summaryIn(await historyOf(session))).toBeUndefined();
	});

	it.each([
		['after the words of a user', [user('u0', 'Do it all.'), ...steps]],
		['at the beginning of a history that no user spoke in', steps],
	])('a summary with a reasoning block is valid in every format, %s', async (_, messages) => {
		const session = await sessionWith(testWorld(), messages, deepseek);
		expect((await compactNow(session, { targetTokens: 2500 })).stagesUsed).toContain('summarize');
		for (const format of formatNames) {
			const rendered = await renderHistory(session, format);
			const checking = validateMessages(rendered.messages, findReader(format, deepseek));
			let step = checking.next();
			while (!step.done) step = checking.next();
			expect([format, step.value.problems]).toEqual([format, []]);
		}
	});

	it('a later summary is written without the reasoning block of an earlier one', async () => {
		const good = listTitles('neurolink')
			.map((title, index) => `## ${index + 1}. ${title}\n- words`)
			.join('\n');
		const prompts: string[] = [];
		const test = testWorld(
			offering(async ({ prompt }) => {
				prompts.push(prompt);
				return { text: good };
			}),
		);
		const session = await sessionWith(test, toolSession(30), deepseek);
		await compactNow(session, { targetTokens: 3000 });
		const news = Array.from({ length: 12 }, (_, index) => user(`n${index}`, prose(200, index)));
		await test.store.run('s', test.client, (open) =>
			appendMessages(open, news, 'contextd', { client: open.client }).then(() => undefined),
		);
		await compactNow(session, { targetTokens: 2500 });
		expect(prompts.at(-1)).toContain('<earlier-summary>\n## 1. Primary');
		expect(prompts.join('')).not.toContain('Context Analysis');
	});
});

describe('a summary for other models', () => {
	it('a summary for other models is a user message without thinkingPrefix', async () => {
		const claude = { provider: 'anthropic', model: 'claude-sonnet-4' };
		const { history, answered } = await compacted(claude, { thinkingPrefix: 'Hm.' });
		expect(summaryIn(history)).toMatchObject({ role: 'user', content: answered.summary?.text });
	});
});
