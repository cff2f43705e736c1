import { afterEach, expect, it } from 'vitest';
import { cleanUp, freshHome } from '../support/daemon.ts';
import { playRound, randomNumbers, type Tally } from '../support/manyDaemons.ts';

afterEach(cleanUp);

/** As many as there is time for: 1,000 unless the environment says otherwise. */
const requests = Number(process.env.CONTEXTD_SHARED_REQUESTS ?? 1000);
const seed = Number(process.env.CONTEXTD_SHARED_SEED ?? Date.now() % 1_000_000);

/** Requests and kills of one session; a longer history only makes each of them slower. */
const round = { requests: 250, kills: 13 };

it(`two to four daemons leave one session as one would, whoever is killed (seed ${seed}, ${requests} requests)`, {
	timeout: 300_000 * Math.max(1, requests / 1000),
}, async () => {
	const random = randomNumbers(seed);
	const tally: Tally = { requests: 0, kills: 0, killsInFlight: 0, killsAfterGrowth: 0, silences: 0 };
	const home = await freshHome();
	for (let number = 0; tally.requests < requests; number++) {
		const sessionId = `round-${number}`;
		const wrong = await playRound({
			home,
			sessionId,
			daemons: 2 + random(3),
			requests: Math.min(round.requests, requests - tally.requests),
			kills: round.kills,
			isCalm: number % 2 === 0,
			random,
			tally,
		});
		expect({ seed, sessionId, wrong }).toEqual({ seed, sessionId, wrong: [] });
	}
	process.stderr.write(`seed ${seed}: ${JSON.stringify(tally)}\n`);
	// A machine under load may starve a holder for 5 s; as a rule none is.
	expect(tally.silences).toBeLessThanOrEqual(requests / 50);
	expect(tally.kills).toBeGreaterThanOrEqual(Math.floor(requests / 20));
});
