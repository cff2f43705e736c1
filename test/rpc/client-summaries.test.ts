import { afterEach, describe, expect, it } from 'vitest';
import { contextCompact, contextPrepare } from '../../server/protocol/compact.ts';
import { contextHistory } from '../../server/protocol/history.ts';
import type { SummarizeParams, SummarizeResult } from '../../server/protocol/push.ts';
import { sessionUpdate } from '../../server/protocol/session.ts';
import { type App, removeFolders, startTestApp } from '../support/app.ts';
import { framed, type Wire } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { goodSummary } from '../support/goodSummary.ts';
import { begin, conversation, statsIn } from '../support/talk.ts';

const offering = { capabilities: { experimental: { contextd: { summarize: true } } } };

afterEach(removeFolders);

/** Answers the first request for a summary, and returns its params. */
async function answerSummary(
	app: App,
	answer: (params: SummarizeParams) => Partial<SummarizeResult>,
): Promise<SummarizeParams> {
	const asked = await eventually(() => {
		const request = app.inbox.find((one) => one.method === 'context/summarize');
		expect(request).toBeDefined();
		return request as Wire & { params: SummarizeParams };
	});
	const reply = { jsonrpc: '2.0', id: asked.id, result: answer(asked.params) };
	app.write(framed(JSON.stringify(reply), 'content-length'));
	return asked.params;
}

async function compactWith(
	answer: (params: SummarizeParams) => Partial<SummarizeResult>,
	instructions?: string,
) {
	const app = await startTestApp({ initialize: offering });
	await begin(app, 's', conversation(40, 120));
	const compacting = app.ask(contextCompact, { sessionId: 's', ...(instructions && { instructions }) });
	const asked = await answerSummary(app, answer);
	const result = await compacting;
	await app.stop();
	return { asked, result };
}

/** Returns a session after a `context/prepare` at 77 % of the available tokens. */
async function preparedAtWarning() {
	const app = await startTestApp({ initialize: offering });
	await begin(app, 's', conversation(40, 120));
	const { breakdown } = await statsIn(app, 's');
	const contextWindow = Math.round(breakdown.conversationHistory / 0.77 / 0.65);
	await app.ask(sessionUpdate, { sessionId: 's', contextWindow });
	return { app, contextWindow, prepared: await app.ask(contextPrepare, { sessionId: 's' }) };
}

describe('clients that offer to summarize', () => {
	it('a client is asked with the conversation, and its summary begins the compacted history', async () => {
		const { asked, result } = await compactWith(
			() => ({ text: goodSummary, stopReason: 'stop', model: 'small-one' }),
			'the name of the ship',
		);
		expect(asked.sessionId).toBe('s');
		expect(asked.prompt).toContain('turn 3 lorem');
		expect(asked.prompt).toContain('the name of the ship');
		expect(asked.maxTokens).toBeGreaterThan(0);
		expect(result?.summary?.by).toBe('small-one');
		expect(result?.summary?.attempts).toMatchObject([{ model: 'small-one', ok: true }]);
		expect(result?.summary?.text.startsWith('## 1. Primary Request and Intent')).toBe(true);
		expect(result?.tokensAfter).toBeLessThan(result?.tokensBefore ?? 0);
	});

	it.each([
		['stopped for length', { text: goodSummary, stopReason: 'length' }, 'ended with "length"'],
		['is empty', { text: ' \n', stopReason: 'stop' }, 'empty'],
		[
			'lacks a heading',
			{ text: '## 1. Primary Request and Intent\nall fine', stopReason: 'stop' },
			'Rules of the user',
		],
		[
			'is too large',
			{ text: `${goodSummary}\n${'word '.repeat(20_000)}`, stopReason: 'stop' },
			'CONTEXT_GROWTH',
		],
		['is no answer', { stopReason: 'stop' }, 'text'],
	])("a client's summary is replaced by an extract if it %s", async (_, answer, why) => {
		const { result } = await compactWith(() => answer);
		expect(result?.compacted).toBe(true);
		expect(result?.summary?.by).toBe('extract');
		expect(result?.summary?.attempts).toMatchObject([{ ok: false }]);
		expect(result?.summary?.attempts[0]?.error).toContain(why);
	});

	it('a client is not asked for a summary in a preview', async () => {
		const app = await startTestApp({ initialize: offering });
		await begin(app, 's', conversation(40, 120));
		const result = await app.ask(contextCompact, { sessionId: 's', dryRun: true });
		expect(result?.summary?.by).toBe('extract');
		expect(app.inbox.some((one) => one.method === 'context/summarize')).toBe(false);
		await app.stop();
	});

	it('a client is not asked for a summary if summarization.useClient is off', async () => {
		const app = await startTestApp({
			initialize: {
				...offering,
				initializationOptions: { estimator: 'heuristic', summarization: { useClient: false } },
			},
		});
		await begin(app, 's', conversation(40, 120));
		const result = await app.ask(contextCompact, { sessionId: 's' });
		expect(result?.summary?.by).toBe('extract');
		expect(app.inbox.some((one) => one.method === 'context/summarize')).toBe(false);
		await app.stop();
	});

	it('cancelling a compaction while the client writes its summary changes nothing', async () => {
		const app = await startTestApp({ initialize: offering });
		await begin(app, 's', conversation(40, 120));
		const before = await app.ask(contextHistory, { sessionId: 's' });
		const { id, reply } = app.start('context/compact', { sessionId: 's' });
		await eventually(() => expect(app.inbox.some((one) => one.method === 'context/summarize')).toBe(true));
		app.cancel(id);
		expect((await reply).error?.code).toBe(-32800);
		expect(await app.ask(contextHistory, { sessionId: 's' })).toEqual(before);
		await app.stop();
	});

	it('a client is asked for a summary at the warning level, and prepare returns the receipt at the threshold', async () => {
		const { app, contextWindow, prepared } = await preparedAtWarning();
		expect(prepared.stats?.state).toBe('warning');
		expect(prepared.compaction).toBeNull();
		await answerSummary(app, () => ({ text: goodSummary, stopReason: 'stop', model: 'small-one' }));
		const later = await app.ask(contextPrepare, { sessionId: 's' });
		expect(later.compaction).toBeNull();
		expect(later.stats?.revision).toBe(prepared.stats?.revision);
		await app.ask(sessionUpdate, { sessionId: 's', contextWindow: Math.round(contextWindow * 0.95) });
		const { compaction } = await app.ask(contextPrepare, { sessionId: 's' });
		expect(compaction).toMatchObject({ compacted: true, summary: { by: 'small-one' } });
		await app.stop();
	});

	it('context/compact cancels a prefetched summary of the client and asks for another one', async () => {
		const { app } = await preparedAtWarning();
		const summaries = () => app.inbox.filter((one) => one.method === 'context/summarize');
		await eventually(() => expect(summaries()).toHaveLength(1));
		const compacting = app.ask(contextCompact, { sessionId: 's' });
		await eventually(() => expect(summaries()).toHaveLength(2));
		const result = { text: goodSummary, stopReason: 'stop', model: 'small-one' };
		app.write(framed(JSON.stringify({ jsonrpc: '2.0', id: summaries()[1]?.id, result }), 'content-length'));
		expect((await compacting)?.summary?.by).toBe('small-one');
		await app.stop();
	});

	it('prepare does not wait for a summary of the client beyond the threshold', async () => {
		const { app, contextWindow } = await preparedAtWarning();
		await eventually(() => expect(app.inbox.some((one) => one.method === 'context/summarize')).toBe(true));
		await app.ask(sessionUpdate, { sessionId: 's', contextWindow: Math.round(contextWindow * 0.7) });
		const prepared = await app.ask(contextPrepare, { sessionId: 's' });
		expect(prepared.compaction?.compacted).toBe(true);
		expect(prepared.compaction?.summary?.by).not.toBe('small-one');
		await app.stop();
	});
});
