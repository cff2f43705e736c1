import {
	type CacheRules,
	PromptCache,
	type PromptCost,
	type PromptRequest,
} from '../../server/core/cost/cacheModel.ts';

/** Returns the predicted reads and writes of each request of a session. The cache is empty before the first request. */
export function predictCacheUse(requests: readonly PromptRequest[], rules: CacheRules): PromptCost[] {
	const cache = new PromptCache(rules);
	return requests.map((request) => cache.simulate(request));
}
