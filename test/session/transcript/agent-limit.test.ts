import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { readStats } from '../../../server/session/stats.ts';
import { needsCorpus } from '../../support/needs.ts';
import { importerOver, sessionOf } from '../../support/transcripts.ts';
import { isOwnCompaction, listStatsBefore, type WalkStep, walkTranscript } from '../../support/walk.ts';
import { type TestWorld, testWorld } from '../../support/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'contextd-test-'));

function fileOf(name: string, records: readonly object[]): string {
	const path = join(folder, `${name}.jsonl`);
	writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
	return path;
}

/** Returns a text of about this many tokens. Without it, the usage would exceed all text and count as a sum of many calls. */
function textOf(tokens: number): string {
	return 'one two three four '.repeat(Math.ceil(tokens / 4));
}

function claudeLines(model: string, prompts: readonly number[], more: readonly object[] = []): object[] {
	const turns = prompts.flatMap((prompt, turn) => [
		{
			type: 'user',
			uuid: `u${turn}`,
			parentUuid: turn === 0 ? null : `a${turn - 1}`,
			sessionId: 's',
			cwd: '/w',
			timestamp: `2026-11-01T10:0${turn}:00.000Z`,
			message: { role: 'user', content: textOf(prompt - (prompts[turn - 1] ?? 0)) },
		},
		{
			type: 'assistant',
			uuid: `a${turn}`,
			parentUuid: `u${turn}`,
			sessionId: 's',
			timestamp: `2026-11-01T10:0${turn}:30.000Z`,
			message: {
				id: `msg${turn}`,
				role: 'assistant',
				model,
				content: [{ type: 'text', text: 'Done.' }],
				usage: { input_tokens: prompt, output_tokens: 3 },
				stop_reason: 'end_turn',
			},
		},
	]);
	return [...turns, ...more];
}

async function statsOfFile(
	path: string,
	settings: Parameters<TestWorld['configure']>[0] = {},
): Promise<ContextStats> {
	const world = testWorld();
	world.configure(settings);
	const { sessionId } = await importerOver(world).importTranscript({ path });
	const stats = await readStats(await sessionOf(world, sessionId), world.client);
	if (stats === null) throw new Error('there is no message');
	return stats;
}

describe('limits of Claude Code sessions', () => {
	it('a Claude Code session is measured against its compaction point, and is no overflow when it is full', async () => {
		const stats = await statsOfFile(fileOf('sonnet', claudeLines('claude-sonnet-4-5', [155_000])));
		expect(stats).toMatchObject({
			agent: 'claude-code',
			contextWindow: 200_000,
			availableInputTokens: 167_000,
			outputReserve: 33_000,
			limit: { tokens: 167_000, of: 'agent', compacts: 'agent' },
			reserve: { tokens: 33_000, didOverride: false },
			state: 'critical',
			shouldCompact: false,
			withinBudget: true,
			lastActivityAt: Date.parse('2026-11-01T10:00:30.000Z'),
		});
		expect(stats.usageRatio).toBeCloseTo(155_000 / 167_000, 3);
	});

	it('a Claude Code session is not an overflow right after an answer, however full it is', async () => {
		const stats = await statsOfFile(fileOf('full', claudeLines('claude-sonnet-4-5', [199_000])));
		expect(stats).toMatchObject({ state: 'critical', withinBudget: false, contextWindow: 200_000 });
	});

	it('a Claude Code session is an overflow if messages after the answer exceed the window', async () => {
		const more = [
			{
				type: 'user',
				uuid: 'u9',
				parentUuid: 'a0',
				sessionId: 's',
				message: { role: 'user', content: textOf(30_000) },
			},
		];
		const path = fileOf('over', claudeLines('claude-sonnet-4-5', [190_000], more));
		expect(await statsOfFile(path)).toMatchObject({ state: 'overflow', source: 'anchored' });
	});

	it('a model with two windows has a guessed limit until an answered prompt proves the larger window', async () => {
		const guess = await statsOfFile(fileOf('opus', claudeLines('claude-opus-4-6', [120_000])));
		expect(guess).toMatchObject({ contextWindow: 200_000, limit: { tokens: 167_000, of: 'guess' } });
		const proven = await statsOfFile(fileOf('opus-1m', claudeLines('claude-opus-4-6', [120_000, 294_237])));
		expect(proven).toMatchObject({
			contextWindow: 1_000_000,
			limit: { tokens: 967_000, of: 'agent' },
			state: 'healthy',
		});
	});

	it('a Claude Code session is measured against the window that the user sets', async () => {
		const path = fileOf('chosen', claudeLines('claude-opus-4-6', [120_000]));
		const stats = await statsOfFile(path, { models: { 'claude-opus-*': { contextWindow: 1_000_000 } } });
		expect(stats).toMatchObject({ contextWindow: 1_000_000, limit: { tokens: 967_000, of: 'setting' } });
	});

	it('a Claude Code session is measured by the agent’s settings, after a restart too', async () => {
		const path = fileOf('settings', claudeLines('claude-sonnet-4-5', [50_000]));
		const world = testWorld();
		const settings = { settings: {}, environment: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000' } };
		const { sessionId } = await importerOver(world, settings).importTranscript({ path });
		const limit = { tokens: 67_000, of: 'agent', compacts: 'agent' };
		expect(await readStats(await sessionOf(world, sessionId), world.client)).toMatchObject({ limit });
		expect(await readStats(await sessionOf(await world.restart(), sessionId), world.client)).toMatchObject({
			limit,
		});
	});

	it('a Claude Code session learns its limit from a compaction of its own', async () => {
		const more = [
			{
				type: 'system',
				subtype: 'compact_boundary',
				uuid: 'b',
				parentUuid: null,
				sessionId: 's',
				compactMetadata: { trigger: 'auto', preTokens: 90_000 },
			},
			{
				type: 'user',
				uuid: 'sum',
				parentUuid: 'b',
				sessionId: 's',
				isCompactSummary: true,
				message: { role: 'user', content: 'This session is being continued' },
			},
		];
		const stats = await statsOfFile(fileOf('learned', claudeLines('claude-sonnet-4-5', [89_000], more)));
		expect(stats.limit).toEqual({ tokens: 90_000, of: 'agent', compacts: 'agent' });
	});
});

function record(type: string, payload: object) {
	return { timestamp: '2026-11-01T10:00:00.000Z', type, payload };
}

const codexBeginning = [
	record('session_meta', { id: 's', cwd: '/w', model_provider: 'openai' }),
	record('turn_context', { model: 'gpt-5-codex', cwd: '/w' }),
];
const codexAnswer = record('response_item', {
	type: 'message',
	role: 'assistant',
	content: [{ type: 'output_text', text: 'Yes' }],
});

describe('limits of Codex sessions', () => {
	it('a Codex session has the window that it states, minus the agent’s buffer', async () => {
		const path = fileOf('codex', [
			...codexBeginning,
			record('response_item', {
				type: 'message',
				role: 'user',
				content: [{ type: 'input_text', text: textOf(116_000) }],
			}),
			codexAnswer,
			record('event_msg', {
				type: 'token_count',
				info: {
					last_token_usage: { input_tokens: 116_176, output_tokens: 2, cached_input_tokens: 0 },
					model_context_window: 258_400,
				},
			}),
		]);
		expect(await statsOfFile(path)).toMatchObject({
			agent: 'codex',
			contextWindow: 258_400,
			availableInputTokens: 244_800,
			usageRatio: expect.closeTo(116_178 / 244_800, 3),
			limit: { of: 'agent', compacts: 'agent' },
			state: 'healthy',
		});
	});
});

describe('transcripts that state a window of 0', () => {
	it('a transcript that states a window of 0 has the window of its model', async () => {
		const path = fileOf('codex-without-window', [
			...codexBeginning,
			codexAnswer,
			record('event_msg', {
				type: 'token_count',
				info: { last_token_usage: { input_tokens: 9000, output_tokens: 2 }, model_context_window: 0 },
			}),
		]);
		expect(await statsOfFile(path)).toMatchObject({ contextWindow: 258_400, state: 'healthy' });
	});
});

describe('sessions of no known agent', () => {
	it('a session of no known agent is measured against contextd’s own budget', async () => {
		const path = fileOf('plain', [{ model: 'claude-sonnet-4-5' }, { role: 'user', content: 'Hi' }]);
		const stats = await statsOfFile(path);
		expect(stats).toMatchObject({
			availableInputTokens: 136_000,
			limit: { of: 'window', compacts: 'contextd' },
		});
		expect(stats.agent).toBeUndefined();
	});
});

const originals = join(resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus'), 'originals');
const sessionsIn = (place: string): string[] =>
	existsSync(place) ? readdirSync(place).filter((name) => /\.jsonl?$/.test(name)) : [];
const recorded = sessionsIn(originals);
/** Sessions with most of their text removed; some contain almost only usage figures. */
const trimmed = sessionsIn(join(originals, 'shapes')).map((name) => `shapes/${name}`);

/** Allowed sizes of a session when its agent compacts by itself, as shares of the limit. */
const fullRatios = { from: 0.88, to: 1.02 };

/** Expects no overflow at any answer, and returns the number of answers. */
function expectNoOverflow(steps: readonly WalkStep[]): number {
	const answers = steps.filter(({ answered }) => answered !== undefined);
	for (const { stats, answered } of answers) {
		expect(stats.state).not.toBe('overflow');
		expect(answered).toBeLessThanOrEqual(stats.contextWindow);
	}
	return answers.length;
}

describe.skipIf(recorded.length === 0)('recorded sessions', needsCorpus, () => {
	it.each(trimmed)('%s never overflows', async (name) => {
		expectNoOverflow(await walkTranscript(join(originals, name)));
	});

	it.each(recorded)('%s never overflows, and is full when its agent compacts', async (name) => {
		const steps = await walkTranscript(join(originals, name));
		expect(expectNoOverflow(steps)).toBeGreaterThan(0);
		for (const { estimatedInputTokens, limit } of listStatsBefore(steps, isOwnCompaction)) {
			if (limit?.of === 'guess') continue;
			expect(estimatedInputTokens / (limit?.tokens ?? 0)).toBeGreaterThan(fullRatios.from);
			expect(estimatedInputTokens / (limit?.tokens ?? 0)).toBeLessThan(fullRatios.to);
		}
	});

	it('a recorded session contains a compaction by its agent', async () => {
		const stream = recorded.filter((name) => name.startsWith('tielec-i113') && name.endsWith('.jsonl'));
		const steps = await walkTranscript(join(originals, stream[0] ?? ''));
		expect(listStatsBefore(steps, isOwnCompaction)).toHaveLength(1);
	});
});
