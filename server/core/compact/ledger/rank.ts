import { errorLine, hash, number, path, urlFact } from './facts.ts';
import type { Author, Ledger } from './ledger.ts';
import type { Source } from './source.ts';

/** In this many messages a mention loses half of its weight. */
const halfLife = 150;

/**
 * A logistic model of whether the assistant writes a fact again within its next 120 messages, on
 * log(1 + 10 x mass) for each author, whether the assistant ever wrote it, and its kind. Fitted by ridge
 * regression on 51,000 facts of 67 cuts through 23 recorded agent sessions, checked on sessions left out of
 * the fit (ROC area 0.81), then rounded. Two are set by hand, since recorded users rarely repeat
 * themselves: what a user or a failure names is not counted against it.
 */
const intercept = -3.9;
const weights: Record<Author, number> = {
	user: 0.2,
	prose: 0.3,
	call: 0.5,
	result: 0.45,
	failure: 0.45,
	system: 0,
};
const writtenIndex = 1;
const kinds = new Map([
	[path, -0.2],
	[number, -0.3],
	[hash, -0.7],
	[urlFact, -0.5],
	[errorLine, -0.7],
]);
const authors = Object.keys(weights) as Author[];
const authorWeights = authors.map((author) => weights[author]);

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
		const weight = 2 ** (-age / halfLife) / (isResult ? Math.sqrt(to - from) : 1);
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
	const values = new Float32Array(facts.count);
	for (let fact = 0; fact < values.length; fact++) {
		if (mentioned[fact] === 0) continue;
		let log = intercept + (kinds.get(facts.kinds[fact]!) ?? 0) + (written[fact] === 1 ? writtenIndex : 0);
		for (let author = 0; author < masses.length; author++) {
			const mass = masses[author]![fact]!;
			if (mass !== 0) log += authorWeights[author]! * Math.log1p(10 * mass);
		}
		values[fact] = 1 / (1 + Math.exp(-log));
	}
	return values;
}
