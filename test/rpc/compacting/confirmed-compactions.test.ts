import { afterEach, describe, expect, it, vi } from 'vitest';
import { contextCompact, contextPrepare, contextRecover } from '../../../server/protocol/compact.ts';
import type { ConfirmCompactionParams } from '../../../server/protocol/push.ts';
import { sessionAppend, sessionUpdate } from '../../../server/protocol/session.ts';
import { type App, startingApps } from '../../support/app.ts';
import { framed, type Wire } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { userSays } from '../../support/messages.ts';
import { begin, conversation, historyIn, statsIn } from '../../support/talk.ts';

const { start } = startingApps();

afterEach(() => void vi.useRealTimers());

const asking = { capabilities: { experimental: { contextd: { confirmCompaction: true } } } };

/** Returns a session whose history takes this share of the available tokens. */
async function filled(share: number, initialize: Record<string, unknown> = asking): Promise<App> {
	const app = await start({ initialize });
	await begin(app, 's', conversation(80, 200), { contextWindow: 200_000, maxOutputTokens: 1 });
	const { estimatedInputTokens } = await statsIn(app, 's');
	const contextWindow = Math.ceil(estimatedInputTokens / share) + 1;
	await app.ask(sessionUpdate, { sessionId: 's', contextWindow });
	return app;
}

const questionsIn = (app: App) => app.inbox.filter(({ method }) => method === 'context/confirmCompaction');

async function questionIn(app: App): Promise<Wire & { params: ConfirmCompactionParams }> {
	return eventually(() => {
		const question = questionsIn(app).at(-1);
		expect(question).toBeDefined();
		return question as Wire & { params: ConfirmCompactionParams };
	});
}

function answer(app: App, { id }: Wire, answered: Pick<Wire, 'result' | 'error'>): void {
	app.write(framed(JSON.stringify({ jsonrpc: '2.0', id, ...answered }), 'content-length'));
}

async function preparedWith(app: App, answered: Pick<Wire, 'result' | 'error'>) {
	const preparing = app.ask(contextPrepare, { sessionId: 's' });
	answer(app, await questionIn(app), answered);
	return preparing;
}

describe('clients that confirm compactions', () => {
	it('context/confirmCompaction has the figures and the planned target', async () => {
		const app = await filled(0.85);
		const stats = await statsIn(app, 's');
		const { compaction, warnings } = await preparedWith(app, { result: {} });
		const [question] = questionsIn(app);
		expect(question?.params).toMatchObject({
			sessionId: 's',
			estimatedInputTokens: stats.estimatedInputTokens,
			availableInputTokens: stats.availableInputTokens,
			usageRatio: stats.usageRatio,
			state: stats.state,
			historyTokens: stats.breakdown.conversationHistory,
			targetTokens: compaction?.targetTokens,
		});
		expect(compaction?.compacted).toBe(true);
		expect(warnings).toEqual([]);
	});

	it('a client can refuse a compaction with a reason, and is asked again at the next request', async () => {
		const app = await filled(0.85);
		const before = await historyIn(app, 's');
		const refused = await preparedWith(app, {
			result: { proceed: false, reason: 'in the middle of a test' },
		});
		expect(refused).toMatchObject({
			compaction: null,
			messages: before,
			warnings: ['the client refused the compaction: in the middle of a test'],
		});
		const preparing = app.ask(contextPrepare, { sessionId: 's' });
		await eventually(() => expect(questionsIn(app)).toHaveLength(2));
		answer(app, await questionIn(app), { result: { proceed: true } });
		expect((await preparing).compaction?.compacted).toBe(true);
	});

	it('a client can refuse a compaction although the request does not fit, and gets a warning', async () => {
		const app = await filled(1.2);
		const before = await historyIn(app, 's');
		const { messages, warnings } = await preparedWith(app, { result: { proceed: false } });
		expect(messages).toEqual(before);
		expect(warnings).toEqual([
			expect.stringMatching(/^about \d+ tokens do not fit .* refused the compaction: no reason given$/),
		]);
	});

	it('a client can send instructions for the summary with its confirmation', async () => {
		const app = await filled(0.85, {
			capabilities: { experimental: { contextd: { confirmCompaction: true, summarize: true } } },
		});
		const preparing = app.ask(contextPrepare, { sessionId: 's' });
		answer(app, await questionIn(app), { result: { instructions: 'the name of the ship' } });
		const asked = await app.awaitNotification('context/summarize');
		expect(JSON.stringify(asked)).toContain('the name of the ship');
		const summarize = app.inbox.find(({ method }) => method === 'context/summarize') as Wire;
		answer(app, summarize, { result: { text: '', stopReason: 'stop' } });
		expect((await preparing).compaction?.compacted).toBe(true);
	});

	it.each([
		['fails', { error: { code: -32603, message: 'no window is open' } }],
		['is no answer', { result: { proceed: 'yes' } }],
	])("a compaction proceeds if the client's answer %s", async (_, answered) => {
		const app = await filled(0.85);
		expect((await preparedWith(app, answered)).compaction?.compacted).toBe(true);
		expect(app.errors()).toContain('context/confirmCompaction');
	});

	it("a compaction waits at most 30 s for the client's answer", async () => {
		const app = await filled(0.85);
		vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
		const preparing = app.ask(contextPrepare, { sessionId: 's' });
		await app.awaitNotification('context/confirmCompaction');
		await vi.advanceTimersByTimeAsync(29_000);
		expect(app.inbox.some(({ method }) => method === '$/cancelRequest')).toBe(false);
		await vi.advanceTimersByTimeAsync(1_000);
		vi.useRealTimers();
		expect((await preparing).compaction?.compacted).toBe(true);
		expect(app.inbox.some(({ method }) => method === '$/cancelRequest')).toBe(true);
	});

	it('prepare can be cancelled while the client is asked, and changes nothing', async () => {
		const app = await filled(0.85);
		const before = await historyIn(app, 's');
		const { id, reply } = app.start('context/prepare', { sessionId: 's' });
		await questionIn(app);
		app.cancel(id);
		expect((await reply).error?.code).toBe(-32800);
		expect(await historyIn(app, 's')).toEqual(before);
	});

	it('messages that are appended while the client is asked are kept', async () => {
		const app = await filled(0.85);
		const preparing = app.ask(contextPrepare, { sessionId: 's' });
		const question = await questionIn(app);
		await app.ask(sessionAppend, { sessionId: 's', messages: [userSays('one more', { id: 'more' })] });
		answer(app, question, { result: {} });
		const { compaction, messages } = await preparing;
		expect(compaction?.compacted).toBe(true);
		expect(messages.at(-1)).toMatchObject({ content: 'one more' });
	});

	it('a client is not asked before recoveries and its own compactions, nor if no compaction is due', async () => {
		const app = await filled(0.3);
		await app.ask(contextPrepare, { sessionId: 's' });
		await app.ask(contextCompact, { sessionId: 's' });
		await app.ask(sessionUpdate, { sessionId: 's', contextWindow: 3_000 });
		await app.ask(contextRecover, { sessionId: 's', error: { code: 'context_length_exceeded' } });
		expect(questionsIn(app)).toEqual([]);
	});
});

it('a client without the capability confirmCompaction is not asked', async () => {
	const app = await filled(0.85, {});
	expect((await app.ask(contextPrepare, { sessionId: 's' })).compaction?.compacted).toBe(true);
	expect(questionsIn(app)).toEqual([]);
});
