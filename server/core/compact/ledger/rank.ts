import { NUMBER } from './facts.ts';
import type { Author, Ledger } from './ledger.ts';
import { factsStart } from './segments.ts';
import type { Source } from './source.ts';

/** In this many messages a mention loses half of its weight. */
const HALF_LIFE = 150;
/** Half of the most a fact can be worth is reached at this mass, so that no single name outweighs ten others. */
const SATURATION = 3;

/** What a mention weighs, by who made it: what the assistant wrote itself it writes again most often. */
const WEIGHTS: Record<Author, number> = {
	user: 0.5,
	prose: 0.7,
	call: 1,
	result: 0.6,
	failure: 0.9,
	system: 0.3,
};
const WRITTEN = 0.15;

/**
 * What each fact of the ledger is worth to an agent that goes on after the last of these messages, 0 to 1:
 * how likely it is to be needed again. Mentions fade with age; those in a result share its weight,
 * since a result of a thousand names speaks for none of them. Facts of other messages are worth 0.
 */
export function factValues(ledger: Ledger, sources: readonly Source[]): Float32Array {
	const { segments, facts } = ledger;
	const values = new Float32Array(facts.count);
	const stamps = new Int32Array(facts.count).fill(-1);
	const written = new Uint8Array(facts.count);
	const count = (start: number, end: number, stamp: number): number => {
		let distinct = 0;
		for (let at = start; at < end; at++) {
			const fact = segments.facts.data[at]!;
			if (stamps[fact] !== stamp) distinct++;
			stamps[fact] = stamp;
		}
		return distinct;
	};
	const add = (from: number, to: number, stamp: number, author: Author, age: number) => {
		if (from === to) return;
		const start = factsStart(segments, from);
		const end = factsStart(segments, to);
		const distinct = count(start, end, stamp);
		const isResult = author === 'result' || author === 'failure';
		const weight = (WEIGHTS[author] * 2 ** (-age / HALF_LIFE)) / (isResult ? Math.sqrt(distinct) : 1);
		for (let at = start; at < end; at++) {
			const fact = segments.facts.data[at]!;
			if (stamps[fact] !== stamp) continue;
			stamps[fact] = -1;
			values[fact]! += weight;
			if (author === 'prose' || author === 'call') written[fact] = 1;
		}
	};
	for (let at = 0; at < sources.length; at++) {
		const entry = ledger.entries.get(sources[at]!.seq);
		if (entry === undefined) continue;
		const age = sources.length - 1 - at;
		add(entry.from, entry.calls, 2 * at, entry.author, age);
		add(entry.calls, entry.to, 2 * at + 1, 'call', age);
	}
	for (let fact = 0; fact < values.length; fact++) {
		const mass = values[fact]! + (written[fact] === 1 ? WRITTEN : 0);
		values[fact] = (mass / (SATURATION + mass)) * (facts.kinds[fact] === NUMBER ? 0.5 : 1);
	}
	return values;
}
