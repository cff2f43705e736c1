import type { Author, FactIndex } from '../../analysis/message/factIndex.ts';
import type { Source } from '../../analysis/message/source.ts';
import type { FactKind, TextSegment } from '../../analysis/text/scan.ts';
import { tuning } from '../tuning.ts';
import { type Coverage, computeCoverageByWords } from './coverage.ts';

const writtenByAgentWeight = 1;

/**
 * Returns the value of each fact for continuing after these messages: the probability that it is needed again, 0 to 1.
 * Older mentions count less. The mentions in a result share its weight, because a result with a thousand names says
 * little about each. Facts without a mention have the value 0.
 */
export function computeFactValues(
	{ facts: { kinds }, entries }: FactIndex,
	sources: readonly Source[],
): Float32Array {
	const masses: Record<Author, Float32Array> = {
		user: new Float32Array(kinds.length),
		prose: new Float32Array(kinds.length),
		call: new Float32Array(kinds.length),
		result: new Float32Array(kinds.length),
		system: new Float32Array(kinds.length),
	};
	const mentioned = new Uint8Array(kinds.length);
	const written = new Uint8Array(kinds.length);
	const add = (facts: readonly number[], author: Author, recency: number): void => {
		const mass = masses[author];
		const weight = recency / (author === 'result' ? Math.sqrt(facts.length) : 1);
		for (const fact of facts) {
			mass[fact] = (mass[fact] ?? 0) + weight;
			mentioned[fact] = 1;
			if (author === 'prose' || author === 'call') written[fact] = 1;
		}
	};
	for (const [index, { seq }] of sources.entries()) {
		const entry = entries.get(seq);
		if (entry === undefined) continue;
		const recency = 2 ** (-(sources.length - 1 - index) / tuning.facts.mentionHalfLife);
		add(entry.ownFacts, entry.author, recency);
		add(entry.callFacts, 'call', recency);
	}
	const weightedMasses = Object.entries(tuning.authorWeights).map(([author, weight]) => ({
		mass: masses[author as Author],
		weight,
	}));
	const { common, unique } = tuning.kindWeights;
	const kindWeights: Record<FactKind, number> = {
		identifier: 0,
		path: common,
		number: common,
		hash: unique,
		url: unique,
		error: unique,
	};
	const values = new Float32Array(kinds.length);
	for (let fact = 0; fact < values.length; fact++) {
		if (mentioned[fact] === 0) continue;
		let log =
			tuning.facts.intercept +
			kindWeights[kinds[fact] ?? 'identifier'] +
			(written[fact] ?? 0) * writtenByAgentWeight;
		for (const { mass, weight } of weightedMasses)
			if (mass[fact] !== 0) log += weight * Math.log1p(10 * (mass[fact] ?? 0));
		values[fact] = 1 / (1 + Math.exp(-log));
	}
	return values;
}

/** Returns the value of a segment's facts that are not covered yet, plus a small value for covered facts. */
export function scoreFactSegment(
	{ wordCount, facts }: TextSegment,
	values: Float32Array,
	covered: Coverage,
): number {
	const coverage = computeCoverageByWords(wordCount);
	let score = 0;
	for (const fact of facts)
		score +=
			(values[fact] ?? 0) * (Math.max(0, coverage - (covered[fact] ?? 0)) + tuning.facts.repeatedShare);
	return score;
}
