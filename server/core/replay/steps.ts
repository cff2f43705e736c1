/** Reconstructs the requests of a session as they would have been without compactions, from its recorded figures. */

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
	 * Share of the previous prompt that the provider could still have cached. Below 1 if the request began differently
	 * for a reason that no policy changes, such as another model.
	 */
	cachedShare: number;
}

/** A session to be replayed. */
export interface ReplaySession {
	steps: ReplayStep[];
	/** Tokens of the system prompt and the tools, which stay in the cache after a compaction. */
	headTokens: number;
	/** Tokens that no compaction removes: the head, and what the agent adds to the first message, such as its rules. */
	fixedTokens: number;
	/** Tokens at the start that other sessions keep in the cache. */
	sharedTokens: number;
	/** Sizes of the prompt at which the agent compacted. */
	ownTriggerTokens: number[];
}

/** Shares of the first prompt that are assumed for its head, and for what no compaction removes, if unknown. */
const firstPromptShares = { headShare: 0.5, fixedShare: 0.85 };
/** Maximum share of the growth after a compaction that can come from reading files again. */
const maxRereadGrowthShare = 0.5;

/** Estimates the tokens of system prompt and tools: the fewest that a request still read from the cache. */
function estimateHeadTokens(requests: readonly BilledRequest[], rules: CacheRules, first: number): number {
	const reads = requests.flatMap(({ usage: { cacheRead = 0 } }) =>
		cacheRead >= rules.minTokens && cacheRead < first ? [cacheRead] : [],
	);
	const usual = Math.floor(firstPromptShares.headShare * first);
	if (reads.length === 0) return usual;
	// Automatic caches also find shorter beginnings, which sessions of other folders share.
	return rules.kind === 'automatic' ? Math.max(usual, Math.min(...reads)) : Math.min(...reads);
}

/**
 * Returns the tokens that no compaction removes.
 *
 * @param after sizes of the prompts after the agent's own compactions
 * @param leaves tokens of the history in these prompts
 */
function estimateFixedTokens(after: readonly number[], leaves: number, first: number): number {
	if (after.length === 0) return Math.floor(firstPromptShares.fixedShare * first);
	return Math.min(first, Math.min(...after) - leaves);
}

/**
 * Returns the requests of a session without its compactions. Linear time. Requests without a prompt are left out.
 *
 * @param leaves tokens of the history after a compaction by the agent itself
 */
export function createReplaySession(
	recorded: readonly BilledRequest[],
	rules: CacheRules,
	leaves: number,
): ReplaySession {
	const causes = listWriteCauses(recorded, rules);
	const requests = recorded.flatMap((request, index) => {
		const cause = causes[index];
		return sumPromptTokens(request.usage) > 0 && cause !== undefined ? [{ request, cause }] : [];
	});
	const first = requests[0]?.request.usage;
	const steps: ReplayStep[] = [];
	const ownTriggers: number[] = [];
	const after: number[] = [];
	let previous = 0;
	let reread = 0;
	for (const { request, cause } of requests) {
		const { at, usage } = request;
		const prompt = sumPromptTokens(usage);
		const isCompacted = cause.compaction > 0;
		if (isCompacted) {
			ownTriggers.push(previous);
			after.push(prompt);
			reread += estimateRereadAfterModel(previous - prompt);
		}
		const added = isCompacted ? 0 : prompt - previous;
		const again = Math.min(reread, Math.max(0, maxRereadGrowthShare * added));
		reread -= again;
		const isKept = cause.changedPrefix === 0;
		const cachedShare = isKept ? 1 : (usage.cacheRead ?? 0) / Math.max(1, previous);
		steps.push({
			at,
			growthTokens: added - again,
			outputTokens: usage.output,
			cachedShare: Math.min(1, cachedShare),
		});
		previous = prompt;
	}
	const firstTokens = first === undefined ? 0 : sumPromptTokens(first);
	const head = estimateHeadTokens(recorded, rules, firstTokens);
	const fixed = Math.max(head, estimateFixedTokens(after, leaves, firstTokens));
	return {
		steps,
		headTokens: head,
		fixedTokens: fixed,
		sharedTokens: Math.min(head, first?.cacheRead ?? 0),
		ownTriggerTokens: ownTriggers,
	};
}
