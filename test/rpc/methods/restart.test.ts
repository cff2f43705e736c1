import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { type App, freshFolder, removeFolders, startTestApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { soakFactor } from '../../support/soak.ts';
import { begin } from '../../support/talk.ts';

afterAll(removeFolders);

/** A call of a client; `nth` selects one of the existing messages, checkpoints or steps. */
const action = fc.oneof(
	{
		weight: 6,
		arbitrary: fc.record({
			kind: fc.constant('append' as const),
			words: fc.integer({ min: 1, max: 400 }),
			turns: fc.integer({ min: 1, max: 4 }),
			usage: fc.option(fc.integer({ min: 1, max: 20_000 })),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('compact' as const),
			target: fc.option(fc.integer({ min: 0, max: 3000 })),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('undo' as const) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constantFrom('rewind' as const, 'rollback' as const, 'pin' as const, 'reportUsage' as const),
			nth: fc.nat(),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('checkpoint' as const) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('model' as const),
			model: fc.constantFrom('claude-sonnet-4', 'gpt-4o', 'gemini-2.5-pro'),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('request' as const), words: fc.nat(200) }) },
);

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

interface Known {
	messages: string[];
	checkpoints: string[];
}

const pick = (list: readonly string[], nth: number): string => list[nth % Math.max(1, list.length)] ?? 'none';

/** Sends the call without waiting for its answer, which may be an error. */
function perform(app: App, sessionId: string, one: Action, known: Known): Promise<unknown> {
	const ask = (method: string, params: object) => app.start(method, { sessionId, ...params }).reply;
	switch (one.kind) {
		case 'append': {
			const messages = Array.from({ length: one.turns * 2 }, (_, index) => {
				const id = `m${known.messages.length + index}`;
				const text = `${id} ${'word '.repeat(one.words)}`;
				if (index % 2 === 0) return userSays(text, { id });
				return assistantSays(text, {
					id,
					...(one.usage !== null && { usage: { input: one.usage, output: 20 } }),
				});
			});
			known.messages.push(...messages.map(({ id }) => id ?? ''));
			return ask('session/append', { messages });
		}
		case 'compact':
			return ask('context/compact', {
				includeMessages: false,
				...(one.target !== null && { targetTokens: one.target }),
			});
		case 'undo':
			return ask('context/undo', {});
		case 'rewind':
			return ask('session/rewind', { messageId: pick(known.messages, one.nth) });
		case 'rollback':
			return ask('context/rollback', { checkpointId: pick(known.checkpoints, one.nth) });
		case 'pin':
			return ask('context/pin', { messageIds: [pick(known.messages, one.nth)], pinned: one.nth % 3 > 0 });
		case 'reportUsage':
			return ask('session/reportUsage', {
				messageId: pick(known.messages, one.nth),
				usage: { input: one.nth % 30_000, output: 7 },
			});
		case 'checkpoint':
			return ask('context/checkpoint', {}).then(({ result }) => {
				known.checkpoints.push((result as { checkpointId: string }).checkpointId);
			});
		case 'model':
			return ask('session/update', { model: one.model });
		case 'request':
			return ask('session/update', { request: { systemPrompt: 'word '.repeat(one.words) } });
	}
}

const looks = ['context/stats', 'context/history', 'context/timeline', 'context/checkpoints'];

async function lookAt(app: App, sessionId: string): Promise<unknown[]> {
	const shown = [
		...looks.map((method) => ({ method, params: {} })),
		{ method: 'context/history', params: { includeHidden: true } },
	];
	const replies = shown.map(({ method, params }) => app.start(method, { sessionId, ...params }).reply);
	return (await Promise.all(replies)).map(({ error, result }) => error ?? result);
}

function expectSums(stats: unknown): void {
	if (!stats) return;
	const { breakdown, history, estimatedInputTokens } = stats as {
		breakdown: Record<string, number>;
		history: Record<string, number>;
		estimatedInputTokens: number;
	};
	const sum = (values: Record<string, number>) =>
		Object.values(values).reduce((total, value) => total + value, 0);
	expect(sum(breakdown)).toBe(estimatedInputTokens);
	expect(sum(history)).toBe(breakdown.conversationHistory);
	expect(Math.min(...Object.values(breakdown), ...Object.values(history))).toBeGreaterThanOrEqual(0);
}

const runs = 8 * soakFactor;

it('a session is the same after a restart, whatever calls changed it', async () => {
	const property = fc.asyncProperty(
		fc.array(action, { minLength: 3, maxLength: 25 }),
		fc.boolean(),
		async (actions, waits) => {
			const home = freshFolder();
			const first = await startTestApp({ home });
			await begin(first, 's');
			const known: Known = { messages: [], checkpoints: [] };
			if (waits) for (const one of actions) await perform(first, 's', one, known);
			else await Promise.all(actions.map((one) => perform(first, 's', one, known)));
			const live = await lookAt(first, 's');
			expectSums(live[0]);
			await first.stop();
			const second = await startTestApp({ home });
			expect(await lookAt(second, 's')).toEqual(live);
			await second.stop();
			expect(first.errors() + second.errors()).not.toMatch(/failed|RangeError|TypeError/);
		},
	);
	await fc.assert(property, { numRuns: runs });
}, 600_000);
