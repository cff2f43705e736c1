import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Daemon, startDaemon } from './daemon.ts';
import { anthropic } from './providers/anthropic.ts';
import { gemini } from './providers/gemini.ts';
import { mistral } from './providers/mistral.ts';
import { openai } from './providers/openai.ts';
import { responses } from './providers/responses.ts';
import { play } from './scenario.ts';

/** `CONTEXTD_AGENT_TURNS=200` plays the long form, with a window of 200 000 tokens too. */
const turns = Number(process.env.CONTEXTD_AGENT_TURNS ?? 40);
const isLong = turns > 40;
const windows = isLong ? [8_000, 32_000, 200_000] : [8_000, 32_000];

let daemon: Daemon;
beforeAll(async () => {
	daemon = await startDaemon();
}, 60_000);
afterAll(() => daemon.close());

describe.each([anthropic, openai, responses, gemini, mistral])('an agent on $name', (provider) => {
	test.each(windows)(
		'works with a window of %i tokens and is never refused',
		async (window) => {
			const outcome = await play(daemon, { provider, window, turns });
			if (isLong) {
				const { overflows, recoveries, compactions, rateLimits } = outcome;
				console.log(provider.name, window, { turns, compactions, recoveries, rateLimits, overflows });
			}
			expect(outcome.broken).toEqual([]);
			expect(outcome.problems).toEqual([]);
			expect(outcome.overflows).toEqual([]);
			expect(outcome.turns).toBe(turns);
			expect(outcome.compactions).toBeGreaterThan(0);
		},
		isLong ? 600_000 : 20_000,
	);
});
