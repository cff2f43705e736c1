/** Splits the cost of a call by cause, from its usage and the earlier calls of the same conversation. */

import { sumPromptTokens } from '../../meter/meter.ts';
import type { ModelCall } from '../../transcript/index.ts';
import { type CacheRules, lookupCacheRules } from '../cacheModel.ts';
import { listWriteCauses, type WriteCauses } from '../writeCauses.ts';
import { type CallCost, sumCallCost } from './money.ts';

/** Causes of costs. Each part of a call's cost has exactly one cause. */
export const costCauses = [
	'newInput',
	'cacheReads',
	'growth',
	'expiry',
	'changedPrefix',
	'compaction',
	'coldStart',
	'output',
	'subAgents',
] as const;

/**
 * - `newInput`: new input that was not written to a cache
 * - `cacheReads`: tokens read from the cache
 * - `growth`: new input that was written to the cache
 * - `expiry`: the prompt was written again because the cache had expired
 * - `changedPrefix`: the prompt was written again because its start or the model had changed
 * - `compaction`: calls that summarize, and the prompts after them
 * - `coldStart`: the first prompt of a conversation
 * - `output`: answers, thinking included
 * - `subAgents`: the whole cost of sub-agents
 */
export type CostCause = (typeof costCauses)[number];

/** Tokens and cost of one cause in one call. */
export interface CauseCost {
	cause: CostCause;
	tokens: number;
	/** Cost, in the unit of the call's cost. */
	amount: number;
}

const zeroCost: CauseCost = { cause: 'growth', tokens: 0, amount: 0 };

/** Causes for writing tokens to the cache again. */
const rewriteCauses = ['expiry', 'changedPrefix', 'compaction', 'coldStart'] as const;

/** Returns the cache rules of a conversation's provider, with the lifetime that the conversation's usage shows. */
function findCacheRules(calls: readonly ModelCall[]): CacheRules {
	const { provider, model } = calls.at(-1) ?? { provider: '', model: '' };
	const requests = calls.map(({ at, usage }) => ({ startedAt: at, usage }));
	return lookupCacheRules(provider, model, requests);
}

/** Whether the usage of a call describes one prompt of the conversation, unlike summaries and sums of calls. */
function isSinglePrompt({ isSummary, isSum }: ModelCall): boolean {
	return !isSummary && !isSum;
}

/** Splits the costs of one conversation's calls by cause. Creation is O(calls). */
export class ConversationCauses {
	readonly #calls: readonly ModelCall[];
	/** Causes of each call's writes to the cache; undefined if they are unknown. */
	readonly #writeCauses: readonly (WriteCauses | undefined)[];
	readonly #chargesWrites: boolean;

	/** @param calls all calls of one conversation, in order */
	constructor(calls: readonly ModelCall[]) {
		this.#calls = calls;
		const requests = calls.filter(isSinglePrompt);
		const rules = findCacheRules(requests);
		this.#chargesWrites = rules.chargesWrites;
		// A provider that never reports cached tokens has no cache, so nothing can have been lost from a cache.
		const isCached = requests.some(({ usage }) => (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) > 0);
		const causes = isCached ? listWriteCauses(requests, rules).values() : [].values();
		this.#writeCauses = calls.map((call) => (isSinglePrompt(call) ? causes.next().value : undefined));
	}

	/** Splits the cost of the call at an index by cause. The amounts add up to `cost`. */
	splitByCause(index: number, cost: CallCost): CauseCost[] {
		const call = this.#calls[index];
		if (call === undefined) return [];
		const { input, output, cacheRead = 0, cacheWrite = 0 } = call.usage;
		if (call.subAgent !== undefined || call.isSummary) {
			const cause = call.subAgent === undefined ? 'compaction' : 'subAgents';
			return [{ cause, tokens: sumPromptTokens(call.usage) + output, amount: sumCallCost(cost) }];
		}
		const writtenTokens = this.#chargesWrites ? cacheWrite : input;
		const amount = this.#chargesWrites ? cost.cacheWrite : cost.input;
		const rewrite = findRewriteCost(this.#writeCauses[index], writtenTokens, amount);
		const inWrites = this.#chargesWrites ? rewrite : zeroCost;
		const inInput = this.#chargesWrites ? zeroCost : rewrite;
		const parts: CauseCost[] = [];
		const add = (cause: CostCause, tokens: number, paid: number): void => {
			if (tokens > 0 || paid > 0) parts.push({ cause, tokens, amount: paid });
		};
		add('newInput', input - inInput.tokens, cost.input - inInput.amount);
		add('cacheReads', cacheRead, cost.cacheRead);
		add('growth', cacheWrite - inWrites.tokens, cost.cacheWrite - inWrites.amount);
		add('output', output, cost.output);
		add(rewrite.cause, rewrite.tokens, rewrite.amount);
		return parts;
	}
}

/** Returns the tokens that a call wrote to the cache again, their cost, and the cause. */
function findRewriteCost(writes: WriteCauses | undefined, writtenTokens: number, amount: number): CauseCost {
	const cause = rewriteCauses.find((one) => (writes?.[one] ?? 0) > 0);
	if (writes === undefined || cause === undefined) return zeroCost;
	const tokens = Math.min(writtenTokens, writes[cause]);
	return { cause, tokens, amount: writtenTokens > 0 ? Math.round((amount * tokens) / writtenTokens) : 0 };
}
