/** Reconstructs the requests of a session as they would have been without compactions, from their recorded usage. */

import type { CacheRules } from '../cost/cacheModel.ts';
import { type BilledRequest, listWriteCauses } from '../cost/writeCauses.ts';
import { sumPromptTokens } from '../meter/meter.ts';
import { estimateRereadAfterModel } from './rereads.ts';

/** One request of a session, independent of compactions. */
export interface ReplayStep {
	/** When the request was sent, in milliseconds since the epoch. */
	at?: number;
	/** Tokens that were added to the prompt since the previous request; negative if the agent dropped some. */
	growthTokens: number;
	/** Tokens of the answer. */
	outputTokens: number;
	/**
	 * Share of the previous prompt that the provider can still have cached. Below 1 if the prompt's start changed for a
	 * reason that compaction does not affect, such as another model.
	 */
	cachedShare: number;
}

export interface ReplaySession {
	steps: ReplayStep[];
	/** Tokens of the system prompt and the tools, which stay in the cache after a compaction. */
	headTokens: number;
	/** Tokens that no compaction removes: the head and the agent's additions to the first message, such as its rules. */
	fixedTokens: number;
	/** Tokens at the start of the prompt that stay cached because other sessions send the same ones. */
	sharedTokens: number;
	/** Sizes of the prompt at which the agent compacted. */
	agentTriggerTokens: number[];
}

/** Shares of the first prompt assumed for `headTokens` and `fixedTokens` if they are unknown. */
const firstPromptShares = { headShare: 0.5, fixedShare: 0.85 };
/** Maximum share of the growth after a compaction that counts as reading files again. */
const maxRereadGrowthShare = 0.5;

/** Estimates the tokens of system prompt and tools: the minimum that a request read from the cache. */
function estimateHead(requests: readonly BilledRequest[], rules: CacheRules, firstTokens: number): number {
	const cacheReads = requests.flatMap(({ usage: { cacheRead = 0 } }) =>
		cacheRead >= rules.minTokens && cacheRead < firstTokens ? [cacheRead] : [],
	);
	const usualTokens = Math.floor(firstPromptShares.headShare * firstTokens);
	if (cacheReads.length === 0) return usualTokens;
	// Automatic caches also find shorter prefixes, which sessions of other folders share.
	return rules.kind === 'automatic'
		? Math.max(usualTokens, Math.min(...cacheReads))
		: Math.min(...cacheReads);
}

/**
 * Returns the tokens that no compaction removes.
 *
 * @param sizes sizes of the prompts after the agent's own compactions
 * @param remainingTokens tokens of the history in these prompts
 */
function estimateFixedTokens(sizes: readonly number[], remainingTokens: number, firstTokens: number): number {
	if (sizes.length === 0) return Math.floor(firstPromptShares.fixedShare * firstTokens);
	return Math.min(firstTokens, Math.min(...sizes) - remainingTokens);
}

/**
 * Returns the requests of a session without its compactions. Skips requests without a prompt. Linear time.
 *
 * @param remainingTokens tokens of the history after the agent's own compaction
 */
export function createReplaySession(
	recordedRequests: readonly BilledRequest[],
	rules: CacheRules,
	remainingTokens: number,
): ReplaySession {
	const causes = listWriteCauses(recordedRequests, rules);
	const requests = recordedRequests.flatMap((request, index) => {
		const cause = causes[index];
		return sumPromptTokens(request.usage) > 0 && cause !== undefined ? [{ request, cause }] : [];
	});
	const firstUsage = requests[0]?.request.usage;
	const steps: ReplayStep[] = [];
	const ownTriggers: number[] = [];
	const compactedSizes: number[] = [];
	let previousTokens = 0;
	let pendingRereadTokens = 0;
	for (const { request, cause } of requests) {
		const { at, usage } = request;
		const promptTokens = sumPromptTokens(usage);
		const isCompacted = cause.compaction > 0;
		if (isCompacted) {
			ownTriggers.push(previousTokens);
			compactedSizes.push(promptTokens);
			pendingRereadTokens += estimateRereadAfterModel(previousTokens - promptTokens);
		}
		const addedTokens = isCompacted ? 0 : promptTokens - previousTokens;
		const rereadTokens = Math.min(pendingRereadTokens, Math.max(0, maxRereadGrowthShare * addedTokens));
		pendingRereadTokens -= rereadTokens;
		const isKept = cause.changedPrefix === 0;
		const cachedShare = isKept ? 1 : (usage.cacheRead ?? 0) / Math.max(1, previousTokens);
		steps.push({
			at,
			growthTokens: addedTokens - rereadTokens,
			outputTokens: usage.output,
			cachedShare: Math.min(1, cachedShare),
		});
		previousTokens = promptTokens;
	}
	const firstTokens = firstUsage === undefined ? 0 : sumPromptTokens(firstUsage);
	const headTokens = estimateHead(recordedRequests, rules, firstTokens);
	const fixedTokens = Math.max(headTokens, estimateFixedTokens(compactedSizes, remainingTokens, firstTokens));
	return {
		steps,
		headTokens,
		fixedTokens,
		sharedTokens: Math.min(headTokens, firstUsage?.cacheRead ?? 0),
		agentTriggerTokens: ownTriggers,
	};
}
