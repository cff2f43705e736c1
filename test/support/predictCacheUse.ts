import {
	type CacheRules,
	PromptCache,
	type PromptCost,
	type PromptRequest,
} from '../../server/core/cost/cacheModel.ts';

/** Returns what each request of a session reads and writes. The cache is empty before the first one. */
export function predictCacheUse(requests: readonly PromptRequest[], rules: CacheRules): PromptCost[] {
	const cache = new PromptCache(rules);
	return requests.map((request) => cache.simulate(request));
}
