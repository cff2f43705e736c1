import { tuning } from '../tuning.ts';
import type { Author, Ledger } from './ledger.ts';
import type { Source } from './source.ts';

const writtenIndex = 1;
const authors = Object.keys(tuning.authorWeights) as Author[];

/**
 * What each fact of the ledger is worth to an agent that goes on after the last of these messages: the
 * probability that it is needed again, 0 to 1. Mentions fade with age; those in a result share its weight,
 * since a result of a thousand names speaks for none of them. What these messages never mention is worth nothing.
 */
export function factValues(ledger: Ledger, sources: readonly Source[]): Float32Array {
	const { mentions, facts } = ledger;
	const masses = authors.map(() => new Float32Array(facts.count));
	const mentioned = new Uint8Array(facts.count);
	const written = new Uint8Array(facts.count);
	const add = (from: number, to: number, author: Author, age: number) => {
		const mass = masses[authors.indexOf(author)]!;
		const isResult = author === 'result' || author === 'failure';
		const weight = 2 ** (-age / tuning.facts.mentionHalfLife) / (isResult ? Math.sqrt(to - from) : 1);
		for (let index = from; index < to; index++) {
			const fact = mentions.facts.data[index]!;
			mass[fact]! += weight;
			mentioned[fact] = 1;
			if (author === 'prose' || author === 'call') written[fact] = 1;
		}
	};
	for (let index = 0; index < sources.length; index++) {
		const entry = ledger.entries.get(sources[index]!.seq);
		if (entry === undefined) continue;
		const age = sources.length - 1 - index;
		add(entry.own, entry.calls, entry.author, age);
		add(entry.calls, entry.end, 'call', age);
	}
	const authorWeights = authors.map((author) => tuning.authorWeights[author]);
	const { path, number, hash, url, error } = tuning.kindWeights;
	/** By the number of a fact's kind; identifiers are first. */
	const kindWeights = [0, path, number, hash, url, error];
	const values = new Float32Array(facts.count);
	for (let fact = 0; fact < values.length; fact++) {
		if (mentioned[fact] === 0) continue;
		let log =
			tuning.facts.intercept +
			(kindWeights[facts.kinds[fact]!] ?? 0) +
			(written[fact] === 1 ? writtenIndex : 0);
		for (let author = 0; author < masses.length; author++) {
			const mass = masses[author]![fact]!;
			if (mass !== 0) log += authorWeights[author]! * Math.log1p(10 * mass);
		}
		values[fact] = 1 / (1 + Math.exp(-log));
	}
	return values;
}
