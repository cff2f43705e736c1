/** Token counting for sessions, by families of models; exact tables are loaded once, when first needed. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
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

/** Increase it when counting changes, so that counts of older versions are redone. */
const countingVersion = 1;

/** Maximum measures cached at once: a client may name any number of models. */
const maxMeasures = 100;

/**
 * When a rank table is loaded.
 *
 * `ahead`: in the background, so that no request waits. `whenCounted`: for a process that may end without an exact count.
 */
export type TableLoading = 'ahead' | 'whenCounted';

/**
 * Measures with the rank tables of a folder. If a table cannot be loaded, the calibrated estimate replaces it.
 *
 * Each table is loaded at most once, even if that fails. Measures are cached by whether their table was loaded, so a loaded
 * table takes effect at the next call.
 */
export class RankMeasures implements Measures {
	readonly #folder: string;
	readonly #log: Logger;
	readonly #tables: TableLoading;
	readonly #counters = new Map<Vocabulary, ExactCounter>();
	readonly #loading = new Map<Vocabulary, Promise<void>>();
	readonly #measures = new LRUCache<string, SessionMeasure>({ max: maxMeasures });
	readonly #families = new LRUCache<string, TokenFamily>({ max: maxMeasures });

	constructor(folder: string, log: Logger, tables: TableLoading = 'ahead') {
		this.#folder = folder;
		this.#log = log;
		this.#tables = tables;
	}

	async ready(provider: string, model: string, estimator: EstimatorName): Promise<void> {
		if (estimator !== 'exact') return;
		const { vocabulary } = this.#familyOf(provider, model);
		if (!this.#counters.has(vocabulary)) await this.#load(vocabulary);
	}

	for(provider: string, model: string, estimator: EstimatorName): SessionMeasure {
		const isLoaded = this.#counters.has(this.#familyOf(provider, model).vocabulary);
		const name = JSON.stringify([provider, model, estimator, isLoaded]);
		return getOrInsert(this.#measures, name, () => this.#sessionMeasure(provider, model, estimator));
	}

	#load(vocabulary: Vocabulary): Promise<void> {
		const known = this.#loading.get(vocabulary);
		if (known) return known;
		if (this.#tables === 'whenCounted') {
			this.#counters.set(vocabulary, this.#lazyCounter(vocabulary));
			return Promise.resolve();
		}
		const load = loadCounter(this.#folder, vocabulary).then(
			(counter) => void this.#counters.set(vocabulary, counter),
			(error) => this.#logMissing(vocabulary, error),
		);
		this.#loading.set(vocabulary, load);
		return load;
	}

	/** A counter that loads its table at the first text. */
	#lazyCounter(vocabulary: Vocabulary): ExactCounter {
		let counter: ExactCounter | undefined;
		const loaded = (): ExactCounter => {
			try {
				return loadCounterNow(this.#folder, vocabulary);
			} catch (error) {
				this.#logMissing(vocabulary, error);
				return { count: createCalibratedCount(vocabulary) };
			}
		};
		return {
			count(text) {
				counter ??= loaded();
				return counter.count(text);
			},
		};
	}

	#logMissing(vocabulary: Vocabulary, error: unknown): void {
		this.#log.error(`exact counting of ${vocabulary} is not available: ${errorText(error)}`);
	}

	/** The family of a model, cached since every request for figures needs it. */
	#familyOf(provider: string, model: string): TokenFamily {
		const name = JSON.stringify([provider, model]);
		return getOrInsert(this.#families, name, () => lookupTokenFamily(provider, model));
	}

	#measureOf(provider: string, model: string, estimator: EstimatorName): Measure {
		const family = this.#familyOf(provider, model);
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

	#sessionMeasure(provider: string, model: string, estimator: EstimatorName): SessionMeasure {
		const measure = this.#measureOf(provider, model, estimator);
		return {
			key: keyOf(measure, provider),
			estimator: measure.estimator,
			countText: (text) => Math.ceil(measure.countTextTokens(text)),
			countMessage: (message) => countMessage(message, measure),
			countRequest: (request) => countRequest(request, measure),
		};
	}
}

/** Members of image rules by their names in stored keys: another name would recount every stored session. */
const storedNames: Readonly<Record<string, string>> = {
	maxEdge: 'longestEdge',
	maxTokens: 'mostTokens',
	maxPatches: 'mostPatches',
};

function imagesKey(images: Measure['family']['images']): string {
	const members = Object.entries(images).map(([name, value]) => [storedNames[name] ?? name, value]);
	return JSON.stringify(Object.fromEntries(members));
}

/** A key that is equal for measures that count alike. Journals store it. */
function keyOf(measure: Measure, provider: string): string {
	const { family, estimator } = measure;
	const host = estimator === 'heuristic' ? `/${canonicalizeProvider(provider)}` : '';
	return `${family.name}/${imagesKey(family.images)}/${family.reasoning}/${estimator}${host}/${countingVersion}`;
}

/**
 * Creates the counter of a vocabulary from the rank file in `folder`, the output folder of the build.
 *
 * Reads in the background; building the table then takes some tens of milliseconds, so do not call it at start. Rejects with
 * the file system's error if the file cannot be read, and with a RangeError if it is not a rank file.
 */
export async function loadCounter(folder: string, vocabulary: Vocabulary): Promise<ExactCounter> {
	return createCounter(await readFile(tableFile(folder, vocabulary)), vocabulary);
}

/** Pieces, about as many as words, that are counted before building the whole table pays off. */
const lazyPieces = 4000;

/**
 * Creates a counter synchronously, for a process that rarely counts.
 *
 * Throws the errors that `loadCounter` rejects with.
 */
function loadCounterNow(folder: string, vocabulary: Vocabulary): ExactCounter {
	return createCounter(readFileSync(tableFile(folder, vocabulary)), vocabulary, lazyPieces);
}

function tableFile(folder: string, vocabulary: Vocabulary): string {
	return path.join(folder, `ranks-${vocabulary}.bin`);
}
