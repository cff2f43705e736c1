/** Counting for sessions: families of models, with exact tables that are loaded once, when first asked for. */

import { LRUCache } from 'lru-cache';
import { createMeasure, type Measure } from '../core/measure/measure.ts';
import { countMessage } from '../core/measure/message.ts';
import { countRequest } from '../core/measure/request.ts';
import type { Counter, Vocabulary } from '../core/measure/text/exactCounter.ts';
import { calibratedText, exactText, heuristicText } from '../core/measure/text/textCounter.ts';
import { canonicalProvider } from '../core/models/provider.ts';
import { tokenFamily } from '../core/models/tokenFamily.ts';
import type { EstimatorName } from '../protocol/conversation.ts';
import type { Logger } from '../session/ports.ts';
import type { Measures, SessionMeasure } from '../session/world.ts';
import { loadCounter } from './ranks.ts';

/** Changes with the way of counting, so that counts of an older version are taken anew. */
const version = 1;

/** Measures that are kept at once: a client may name any number of models. */
const mostMeasures = 100;

/** Measures over the rank tables of a folder. Where a table cannot be loaded, the calibrated estimate stands in. */
export function createMeasures(folder: string, log: Logger): Measures {
	const counters = new Map<Vocabulary, Counter>();
	const loading = new Map<Vocabulary, Promise<void>>();
	const measures = new LRUCache<string, SessionMeasure>({ max: mostMeasures });

	function load(vocabulary: Vocabulary): Promise<void> {
		const known = loading.get(vocabulary);
		if (known) return known;
		const load = loadCounter(folder, vocabulary).then(
			(counter) => void counters.set(vocabulary, counter),
			(error) =>
				log.error(
					`exact counting of ${vocabulary} is not available: ${error instanceof Error ? error.message : error}`,
				),
		);
		loading.set(vocabulary, load);
		return load;
	}

	function measureOf(provider: string, model: string, estimator: EstimatorName): Measure {
		const family = tokenFamily(provider, model);
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
			const { ranks } = tokenFamily(provider, model);
			if (!counters.has(ranks)) await load(ranks);
		},
		for(provider, model, estimator) {
			const isLoaded = counters.has(tokenFamily(provider, model).ranks);
			const name = JSON.stringify([provider, model, estimator, isLoaded]);
			const known = measures.get(name);
			if (known) return known;
			const made = sessionMeasure(provider, model, estimator);
			measures.set(name, made);
			return made;
		},
	};
}

/** Two measures with one key count alike. */
function keyOf(measure: Measure, provider: string): string {
	const { family, estimator } = measure;
	const host = estimator === 'heuristic' ? `/${canonicalProvider(provider)}` : '';
	return `${family.name}/${JSON.stringify(family.images)}/${family.reasoning}/${estimator}${host}/${version}`;
}
