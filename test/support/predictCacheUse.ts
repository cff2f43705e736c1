import {
	type CacheRules,
	type CacheUse,
	PromptCache,
	type PromptRequest,
} from '../../server/core/cost/cacheModel.ts';

/** Returns what each request of a session reads and writes. The cache is empty before the first one. */
export function predictCacheUse(requests: readonly PromptRequest[], rules: CacheRules): CacheUse[] {
	const cache = new PromptCache(rules);
	return requests.map((request) => cache.send(request));
}
