import { afterEach, describe, expect, it } from 'vitest';
import { contextPrepare, contextRecover } from '../../../server/protocol/compact.ts';
import { sessionAppend, sessionUpdate } from '../../../server/protocol/session.ts';
import { type App, type AppSetup, startTestApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { begin, conversation, historyIn, statsIn } from '../../support/talk.ts';

let app: App | undefined;

afterEach(async () => {
	await app?.stop();
	app = undefined;
});

/** Starts a daemon with a session whose request takes this share of the available tokens. */
async function filled(share: number, promptWords: number, setup: AppSetup = {}) {
	app = await startTestApp(setup);
	const request = { systemPrompt: 'rule number '.repeat(promptWords / 2) };
	await begin(app, 's', conversation(80, 200), { contextWindow: 200_000, maxOutputTokens: 1 });
	const { estimatedInputTokens } = await statsIn(app, 's', { request });
	const contextWindow = Math.ceil(estimatedInputTokens / share) + 1;
	await app.ask(sessionUpdate, { sessionId: 's', contextWindow });
	return { app, request };
}

const options = (compaction: Record<string, unknown>) => ({
	initialize: { initializationOptions: { estimator: 'heuristic', compaction } },
});

describe('compactions that are due', () => {
	it.each([
		['at a threshold below the low-water mark', 0.38, 0, options({ threshold: 0.1 })],
		['at a threshold just above it', 0.63, 0, options({ threshold: 0.62 })],
		['at a number of tokens', 0.3, 0, { environment: { CONTEXTD_TOKEN_THRESHOLD: '9000' } }],
		['where half of the window is no history', 0.85, 14_000, {}],
		['where most of the window is no history', 0.85, 80_000, {}],
	])(
		'a compaction that is due removes enough for the next request: %s',
		async (_, share, promptWords, setup) => {
			const { app, request } = await filled(share, promptWords, setup);
			expect((await statsIn(app, 's', { request })).shouldCompact).toBe(true);
			const { compaction, stats, warnings } = await app.ask(contextPrepare, { sessionId: 's', request });
			expect(compaction?.compacted).toBe(true);
			expect(stats?.shouldCompact).toBe(false);
			expect(warnings).toEqual([]);
			const more = [userSays('a word more'), assistantSays('yes')];
			await app.ask(sessionAppend, { sessionId: 's', messages: more });
			expect((await app.ask(contextPrepare, { sessionId: 's', request })).compaction).toBeNull();
		},
	);
});

it('a request that leaves no tokens for a history is refused, and the history stays unchanged', async () => {
	const { app, request } = await filled(1.6, 80_000);
	const before = await historyIn(app, 's');
	const refusal = await app.refusal('context/prepare', { sessionId: 's', request });
	expect(refusal.data).toMatchObject({ kind: 'ContextBudgetExceeded', stagesUsed: [] });
	expect(await historyIn(app, 's')).toEqual(before);
});

it('disabled stages do not run even if the request does not fit', async () => {
	const { app } = await filled(
		1.3,
		0,
		options({
			enablePruning: false,
			enableDeduplication: false,
			enableSummarization: false,
			enableSlidingWindow: false,
		}),
	);
	const before = await historyIn(app, 's');
	const refusal = await app.refusal('context/prepare', { sessionId: 's' });
	expect(refusal.data).toMatchObject({ kind: 'ContextBudgetExceeded', stagesUsed: [] });
	const error = { code: 'context_length_exceeded' };
	const recovered = await app.ask(contextRecover, { sessionId: 's', error });
	expect(recovered.compaction?.compacted).toBe(false);
	expect(await historyIn(app, 's')).toEqual(before);
});

it('a history within its target is left unchanged without a warning', async () => {
	const { app, request } = await filled(0.5, 0, options({ threshold: 0 }));
	for (let turn = 0; turn < 2; turn++) {
		const { compaction, warnings } = await app.ask(contextPrepare, { sessionId: 's', request });
		expect(compaction).toMatchObject({ compacted: false, reasonCode: 'below_target' });
		expect(warnings).toEqual([]);
	}
});

it('no warning claims that nothing could be removed if a user message was cut', async () => {
	app = await startTestApp();
	const paste = userSays('word '.repeat(30_000), { id: 'paste' });
	await begin(app, 's', [userSays('task'), assistantSays('yes'), paste], { contextWindow: 20_000 });
	const { warnings } = await app.ask(contextPrepare, { sessionId: 's' });
	expect(warnings).toEqual([expect.stringContaining('removed the middle of user message paste')]);
});

it('a user message is cut no deeper than the request needs, however low the threshold', async () => {
	app = await startTestApp(options({ threshold: 0.1 }));
	const paste = userSays('word '.repeat(30_000), { id: 'paste' });
	await begin(app, 's', [userSays('task'), assistantSays('yes'), paste], { contextWindow: 20_000 });
	const { stats } = await app.ask(contextPrepare, { sessionId: 's' });
	expect(stats?.usageRatio).toBeGreaterThan(0.7);
	expect(stats?.usageRatio).toBeLessThan(0.81);
});
