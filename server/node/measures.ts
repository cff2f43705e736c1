/** Counting for sessions: families of models, with exact tables that are loaded once, when first asked for. */

import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { errorText } from '../core/failure.ts';
import { getOrInsert } from '../core/getOrInsert.ts';
import { createMeasure, type Measure } from '../core/measure/measure.ts';
import { countMessage } from '../core/measure/message.ts';
import { countRequest } from '../core/measure/request.ts';
import { type Counter, createCounter, type Vocabulary } from '../core/measure/text/exactCounter.ts';
import { calibratedText, exactText, heuristicText } from '../core/measure/text/textCounter.ts';
import { canonicalProvider } from '../core/models/provider.ts';
import { lookupTokenFamily, type TokenFamily } from '../core/models/tokenFamily.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { Logger } from '../session/ports.ts';
import type { Measures, SessionMeasure } from '../session/world.ts';

/** Changes with the way of counting, so that counts of an older version are taken anew. */
const version = 1;

/** Measures that are kept at once: a client may name any number of models. */
const mostMeasures = 100;

/**
 * When a rank table is loaded: `ahead`, in the background, so that nobody waits for it; or `whenCounted`, for a process
 * that may come to its end without counting anything exactly.
 */
export type TableLoading = 'ahead' | 'whenCounted';

/** Measures over the rank tables of a folder. Where a table cannot be loaded, the calibrated estimate stands in. */
export function createMeasures(folder: string, log: Logger, tables: TableLoading = 'ahead'): Measures {
	const counters = new Map<Vocabulary, Counter>();
	const loading = new Map<Vocabulary, Promise<void>>();
	const measures = new LRUCache<string, SessionMeasure>({ max: mostMeasures });
	const families = new LRUCache<string, TokenFamily>({ max: mostMeasures });

	function tellMissing(vocabulary: Vocabulary, error: unknown): void {
		log.error(`exact counting of ${vocabulary} is not available: ${errorText(error)}`);
	}

	/** A counter that loads its table with the first text. */
	function latecomer(vocabulary: Vocabulary): Counter {
		let counter: Counter | undefined;
		const loaded = (): Counter => {
			try {
				return loadCounterNow(folder, vocabulary);
			} catch (error) {
				tellMissing(vocabulary, error);
				return { count: calibratedText(vocabulary) };
			}
		};
		return {
			count(text) {
				counter ??= loaded();
				return counter.count(text);
			},
		};
	}

	function load(vocabulary: Vocabulary): Promise<void> {
		const known = loading.get(vocabulary);
		if (known) return known;
		if (tables === 'whenCounted') {
			counters.set(vocabulary, latecomer(vocabulary));
			return Promise.resolve();
		}
		const load = loadCounter(folder, vocabulary).then(
			(counter) => void counters.set(vocabulary, counter),
			(error) => tellMissing(vocabulary, error),
		);
		loading.set(vocabulary, load);
		return load;
	}

	/** The family of a model, which every request for figures asks for. */
	function familyOf(provider: string, model: string): TokenFamily {
		const name = JSON.stringify([provider, model]);
		return getOrInsert(families, name, () => lookupTokenFamily(provider, model));
	}

	function measureOf(provider: string, model: string, estimator: EstimatorName): Measure {
		const family = familyOf(provider, model);
		if (estimator === 'heuristic') {
			return createMeasure({ family, estimator, countText: heuristicText(canonicalProvider(provider)) });
		}
		const counter = estimator === 'exact' ? counters.get(family.ranks) : undefined;
		return counter
			? createMeasure({ family, estimator: 'exact', countText: exactText(counter) })
			: createMeasure({ family, estimator: 'calibrated', countText: calibratedText(family.ranks) });
	}

	function sessionMeasure(provider: string, model: string, estimator: EstimatorName): SessionMeasure {
		const measure = measureOf(provider, model, estimator);
		return {
			key: keyOf(measure, provider),
			estimator: measure.estimator,
			countText: (text) => Math.ceil(measure.weigh(text)),
			countMessage: (message) => countMessage(message, measure),
			countRequest: (request) => countRequest(request, measure),
		};
	}

	return {
		async ready(provider, model, estimator) {
			if (estimator !== 'exact') return;
			const { ranks } = familyOf(provider, model);
			if (!counters.has(ranks)) await load(ranks);
		},
		for(provider, model, estimator) {
			const isLoaded = counters.has(familyOf(provider, model).ranks);
			const name = JSON.stringify([provider, model, estimator, isLoaded]);
			return getOrInsert(measures, name, () => sessionMeasure(provider, model, estimator));
		},
	};
}

/** Two measures with one key count alike. */
function keyOf(measure: Measure, provider: string): string {
	const { family, estimator } = measure;
	const host = estimator === 'heuristic' ? `/${canonicalProvider(provider)}` : '';
	return `${family.name}/${JSON.stringify(family.images)}/${family.reasoning}/${estimator}${host}/${version}`;
}

/**
 * Reads the rank file of a vocabulary from `folder` (the one that the daemon was built into) and gives the
 * counter for it. Reading goes on in the background; building the table then takes some tens of ms, so it is not for the
 * start of the daemon.
 *
 * Rejects with the error of the file system when the file cannot be read, and with a RangeError when its content is not a
 * rank file.
 */
export async function loadCounter(folder: string, vocabulary: Vocabulary): Promise<Counter> {
	return createCounter(await readFile(tableFile(folder, vocabulary)), vocabulary);
}

/** Pieces, about as many as words, that are counted before a table is worth all that it takes. */
const seldom = 4000;

/**
 * The same at once, with nobody else to wait for it: for a process that seldom counts at all.
 *
 * Throws what `loadCounter` rejects with.
 */
function loadCounterNow(folder: string, vocabulary: Vocabulary): Counter {
	return createCounter(readFileSync(tableFile(folder, vocabulary)), vocabulary, seldom);
}

function tableFile(folder: string, vocabulary: Vocabulary): string {
	return path.join(folder, `ranks-${vocabulary}.bin`);
}
