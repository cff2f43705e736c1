import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanUp, type Daemon, startDaemon } from '../../support/daemon.ts';
import { needs } from '../../support/needs.ts';
import { travel } from './journey.ts';
import { anthropic } from './providers/anthropic.ts';
import { gemini } from './providers/gemini.ts';
import { mistral } from './providers/mistral.ts';
import { openai } from './providers/openai.ts';
import { responses } from './providers/responses.ts';
import { type Outcome, play } from './scenario.ts';

/** Number of turns. `CONTEXTD_AGENT_TURNS=200` selects the long form, which also runs with a window of 200 000 tokens. */
const turns = Number(process.env.CONTEXTD_AGENT_TURNS ?? 40);
const seed = Number(process.env.CONTEXTD_AGENT_SEED ?? 1);
const isLong = turns > 40;
const windows = isLong ? [8_000, 32_000, 200_000] : [8_000, 32_000];
/** Number of turns that reach the window several times. */
const recoveryTurns = isLong ? turns : 25;
const visibleMs = isLong ? 600_000 : 20_000;

let daemon: Daemon;
beforeAll(async () => {
	daemon = await startDaemon({ initialize: { processId: process.pid } });
});
afterAll(cleanUp);

function tell(name: string, window: number, outcome: Outcome): void {
	if (!isLong) return;
	const { compactions, recoveries, rateLimits, overflows, broken, estimateErrors, largest } = outcome;
	const errors = estimateErrors.map(Math.abs).sort((a, b) => a - b);
	const median = errors[errors.length >> 1]?.toFixed(4);
	const p95 = errors[Math.floor(errors.length * 0.95)]?.toFixed(4);
	const lowest = Math.min(...estimateErrors).toFixed(3);
	process.stderr.write(
		`${name} ${window}: turns=${outcome.turns} compactions=${compactions} recoveries=${recoveries} rateLimits=${rateLimits} overflow400=${overflows.length} structural400=${broken.length} error median=${median} p95=${p95} lowest=${lowest} largestPrompt=${largest}\n`,
	);
}

describe.each([anthropic, openai, responses, gemini, mistral])('an agent on $name', (provider) => {
	it.each(windows)(
		'an agent works with a window of %i tokens and is never refused',
		async (window) => {
			const outcome = await play(daemon, { provider, window, turns, seed });
			tell(provider.name, window, outcome);
			expect(outcome.broken).toEqual([]);
			expect(outcome.problems).toEqual([]);
			expect(outcome.overflows).toEqual([]);
			expect(outcome.turns).toBe(turns);
			expect(outcome.compactions).toBeGreaterThan(0);
		},
		visibleMs,
	);

	it(
		'an agent recovers if its window is smaller than stated, and learns the window from the error',
		async () => {
			const outcome = await play(daemon, {
				provider,
				window: 32_000,
				realWindow: 20_000,
				turns: recoveryTurns,
				seed,
			});
			tell(`${provider.name}, really 20000`, 32_000, outcome);
			expect(outcome.broken).toEqual([]);
			expect(outcome.problems).toEqual([]);
			expect(outcome.turns).toBe(recoveryTurns);
			expect(outcome.recoveries).toBe(outcome.overflows.length);
			expect(outcome.recoveries).toBeGreaterThan(0);
			// If the error states the window, one refusal suffices; otherwise contextd needs several to learn it.
			expect(outcome.overflows.length).toBeLessThanOrEqual(provider.statesFigures ? 2 : 4);
		},
		visibleMs,
	);
});

describe.each([anthropic, openai, responses, gemini, mistral])('an agent on $name', (provider) => {
	it.skipIf(!isLong)(
		'an agent that reports no usage is refused for unusually heavy tokens, and then rarely again',
		{ ...needs('more turns, by CONTEXTD_AGENT_TURNS'), timeout: visibleMs },
		async () => {
			const heavy = { ...provider, scale: provider.scale * 1.5 };
			const outcome = await play(daemon, {
				provider: heavy,
				window: 32_000,
				turns,
				seed,
				reportsUsage: false,
			});
			tell(`${provider.name}, half as many tokens again, no usage`, 32_000, outcome);
			expect(outcome.broken).toEqual([]);
			expect(outcome.recoveries).toBe(outcome.overflows.length);
			expect(outcome.overflows.length).toBeLessThanOrEqual(provider.statesFigures ? 2 : 4);
		},
	);
});

it(
	'a session that changes providers is valid for each of them',
	async () => {
		const stops = [openai, anthropic, gemini, responses, mistral, anthropic, responses, openai, gemini];
		const turnsAtEach = isLong ? 25 : 5;
		const travelled = await travel(daemon, { window: 32_000, stops, turnsAtEach, seed });
		if (isLong) process.stderr.write(`from provider to provider: ${JSON.stringify(travelled)}\n`);
		expect(travelled.broken).toEqual([]);
		// The first figures of a model show that it counts differently from the previous model.
		expect(travelled.overflows).toBeLessThanOrEqual(1);
		expect(travelled.compactions).toBeGreaterThan(0);
	},
	visibleMs,
);
