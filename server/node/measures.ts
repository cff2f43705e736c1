/** Counts tokens of sessions by families of models. Loads the tables of exact counting once, when they are first needed. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { errorText } from '../core/failure.ts';
import { getOrInsert } from '../core/getOrInsert.ts';
import { createMeasure, type Measure } from '../core/measure/measure.ts';
import { countMessage } from '../core/measure/message.ts';
import { countRequest } from '../core/measure/request.ts';
import { createCounter, type ExactCounter, type Vocabulary } from '../core/measure/text/exactCounter.ts';
import {
	createCalibratedCount,
	createExactCount,
	createHeuristicCount,
} from '../core/measure/text/textCounter.ts';
import { canonicalizeProvider } from '../core/models/provider.ts';
import { lookupTokenFamily, type TokenFamily } from '../core/models/tokenFamily.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { Logger } from '../session/ports.ts';
import type { Measures, SessionMeasure } from '../session/services.ts';

/** Increase this when counting changes, so that stored counts of older versions are not used. */
const countingVersion = 1;

/** Maximum cached measures; limited because a client may name any number of models. */
const maxCachedMeasures = 100;

/**
 * The time at which a table of exact counting is loaded. `ahead`: in the background, so that no request waits. `whenCounted`:
 * at the first text, for a process that may end without counting.
 */
export type TableLoading = 'ahead' | 'whenCounted';

/**
 * Creates measures with the rank tables of a folder. If a table cannot be loaded, calibrated estimates replace exact counts.
 *
 * A table is loaded at most once, even if that fails. Once it is loaded, the next call of `getMeasure` returns a measure that uses it.
 */
export class RankMeasures implements Measures {
	readonly #folder: string;
	readonly #log: Logger;
	readonly #tableLoading: TableLoading;
	readonly #counters = new Map<Vocabulary, ExactCounter>();
	readonly #loading = new Map<Vocabulary, Promise<void>>();
	readonly #measures = new LRUCache<string, SessionMeasure>({ max: maxCachedMeasures });
	readonly #families = new LRUCache<string, TokenFamily>({ max: maxCachedMeasures });

	constructor(folder: string, log: Logger, tableLoading: TableLoading = 'ahead') {
		this.#folder = folder;
		this.#log = log;
		this.#tableLoading = tableLoading;
	}

	async load(provider: string, model: string, estimator: EstimatorName): Promise<void> {
		if (estimator !== 'exact') return;
		const { vocabulary } = this.#findFamily(provider, model);
		if (!this.#counters.has(vocabulary)) await this.#load(vocabulary);
	}

	getMeasure(provider: string, model: string, estimator: EstimatorName): SessionMeasure {
		const isLoaded = this.#counters.has(this.#findFamily(provider, model).vocabulary);
		const name = JSON.stringify([provider, model, estimator, isLoaded]);
		return getOrInsert(this.#measures, name, () => this.#createSessionMeasure(provider, model, estimator));
	}

	#load(vocabulary: Vocabulary): Promise<void> {
		const started = this.#loading.get(vocabulary);
		if (started) return started;
		if (this.#tableLoading === 'whenCounted') {
			this.#counters.set(vocabulary, this.#createLazyCounter(vocabulary));
			return Promise.resolve();
		}
		const load = loadCounter(this.#folder, vocabulary).then(
			(counter) => void this.#counters.set(vocabulary, counter),
			(error) => this.#logMissing(vocabulary, error),
		);
		this.#loading.set(vocabulary, load);
		return load;
	}

	/** Returns a counter that loads its table at the first text. */
	#createLazyCounter(vocabulary: Vocabulary): ExactCounter {
		let counter: ExactCounter | undefined;
		const requireCounter = (): ExactCounter => {
			try {
				return loadCounterNow(this.#folder, vocabulary);
			} catch (error) {
				this.#logMissing(vocabulary, error);
				return { count: createCalibratedCount(vocabulary) };
			}
		};
		return {
			count(text) {
				counter ??= requireCounter();
				return counter.count(text);
			},
		};
	}

	#logMissing(vocabulary: Vocabulary, error: unknown): void {
		this.#log.error(`exact counting of ${vocabulary} is not available: ${errorText(error)}`);
	}

	/** Returns the token family of a model. Cached, because every measurement of a session needs it. */
	#findFamily(provider: string, model: string): TokenFamily {
		const name = JSON.stringify([provider, model]);
		return getOrInsert(this.#families, name, () => lookupTokenFamily(provider, model));
	}

	#createMeasure(provider: string, model: string, estimator: EstimatorName): Measure {
		const family = this.#findFamily(provider, model);
		if (estimator === 'heuristic') {
			return createMeasure({
				family,
				estimator,
				countText: createHeuristicCount(canonicalizeProvider(provider)),
			});
		}
		const counter = estimator === 'exact' ? this.#counters.get(family.vocabulary) : undefined;
		return counter
			? createMeasure({ family, estimator: 'exact', countText: createExactCount(counter) })
			: createMeasure({
					family,
					estimator: 'calibrated',
					countText: createCalibratedCount(family.vocabulary),
				});
	}

	#createSessionMeasure(provider: string, model: string, estimator: EstimatorName): SessionMeasure {
		const measure = this.#createMeasure(provider, model, estimator);
		return {
			key: createMeasureKey(measure, provider),
			estimator: measure.estimator,
			countText: (text) => Math.ceil(measure.countTextTokens(text)),
			countMessage: (message) => countMessage(message, measure),
			countRequest: (request) => countRequest(request, measure),
		};
	}
}

/** Names of image rules in stored keys. They must not change with the code, because every stored session would be recounted. */
const storedRuleNames: Readonly<Record<string, string>> = {
	maxEdge: 'longestEdge',
	maxTokens: 'mostTokens',
	maxPatches: 'mostPatches',
};

function createImagesKey(images: Measure['family']['imageRule']): string {
	const members = Object.entries(images).map(([name, value]) => [storedRuleNames[name] ?? name, value]);
	return JSON.stringify(Object.fromEntries(members));
}

/** Returns a key that is equal for measures that count alike. Journals store the key. */
function createMeasureKey(measure: Measure, provider: string): string {
	const { family, estimator } = measure;
	const host = estimator === 'heuristic' ? `/${canonicalizeProvider(provider)}` : '';
	return `${family.name}/${createImagesKey(family.imageRule)}/${family.reasoning}/${estimator}${host}/${countingVersion}`;
}

/**
 * Creates the counter of a vocabulary from its rank file in `folder`, the output folder of the build.
 *
 * Reads in the background, then blocks for some tens of milliseconds to build the table, so do not call this at start. Rejects
 * with the system's error if the file cannot be read, and with a RangeError if it is not a rank file.
 */
export async function loadCounter(folder: string, vocabulary: Vocabulary): Promise<ExactCounter> {
	return createCounter(decompress(await readFile(getTablePath(folder, vocabulary))), vocabulary);
}

/** Building the whole table pays off only after this many pieces (about as many as words) were counted. */
const minTablePieces = 4000;

/**
 * Creates a counter synchronously, for a process that rarely counts.
 *
 * Throws the same errors as `loadCounter`.
 */
function loadCounterNow(folder: string, vocabulary: Vocabulary): ExactCounter {
	return createCounter(
		decompress(readFileSync(getTablePath(folder, vocabulary))),
		vocabulary,
		minTablePieces,
	);
}

function getTablePath(folder: string, vocabulary: Vocabulary): string {
	return path.join(folder, `ranks-${vocabulary}.bin.br`);
}

/** Returns the bytes of a compressed rank file. Throws a RangeError if they are damaged. Some milliseconds. */
function decompress(bytes: Buffer): Buffer {
	try {
		return brotliDecompressSync(bytes);
	} catch (error) {
		throw new RangeError(`Rank file: cannot be decompressed: ${errorText(error)}.`, { cause: error });
	}
}
