/** The model behind the loopback servers: a script of reads, edits, commands, failures and long answers. */

import { randomFrom } from '../../support/generatedText.ts';
import type { ModelOutput } from './wire.ts';
import { madeUpProse } from './workspace.ts';

type Random = ReturnType<typeof randomFrom>;

/** Sizes of files, as shares of the window. */
const shares = ['0.005', '0.01', '0.02', '0.04', '0.08', '0.25'];
const hugeShare = '1.60';
/** Number of turns after which an output arrives that is larger than any window. */
const hugeEvery = 31;

function readOf(random: Random): ModelOutput['calls'][number] {
	const share = shares[random(shares.length)];
	return { name: 'read_file', args: { path: `src/part${random(12)}-${share}.ts` } };
}

function callOf(random: Random): ModelOutput['calls'][number] {
	const kind = random(10);
	if (kind < 5) return readOf(random);
	if (kind < 7) {
		const path = `src/part${random(12)}-${shares[random(3)]}.ts`;
		return { name: 'edit_file', args: { path, old: 'input', new: madeUpProse(random(99), 60) } };
	}
	if (kind < 8)
		return { name: 'search', args: { query: random(3) === 0 ? 'nothing' : `term ${random(50)}` } };
	const flag = random(3) === 0 ? ' --fail' : '';
	return {
		name: 'run_command',
		args: { command: `npm test -- part${random(40)}-${shares[random(4)]}${flag}` },
	};
}

/** The outcome of a turn: an answer, or a refusal because the model is busy. */
export type Turn = { say: ModelOutput } | { isBusy: true };

/** Returns an endless script whose answers have at most `maxOutputTokens`. */
export function createModel(seed: number): (maxOutputTokens: number) => Turn {
	const random = randomFrom(seed);
	let turn = 0;
	let steps = 0;
	let wasBusy = false;
	return (maxOutputTokens) => {
		if (!wasBusy && random(20) === 0) {
			wasBusy = true;
			return { isBusy: true };
		}
		wasBusy = false;
		turn++;
		if (turn % hugeEvery === hugeEvery - 1) {
			return {
				say: { text: '', calls: [{ name: 'read_file', args: { path: `dist/all${turn}-${hugeShare}.js` } }] },
			};
		}
		if (steps > 0 && random(6) === 0) {
			steps = 0;
			const tokens = random(3) === 0 ? maxOutputTokens * 0.8 : 40 + random(200);
			return { say: { text: madeUpProse(turn, tokens), calls: [] } };
		}
		steps++;
		const calls =
			random(4) === 0 ? Array.from({ length: 2 + random(3) }, () => callOf(random)) : [callOf(random)];
		if (random(25) === 0) calls.push({ name: 'read_file', args: { path: 'src/missing.ts' } });
		return { say: { text: random(2) === 0 ? madeUpProse(turn, 10 + random(60)) : '', calls } };
	};
}
