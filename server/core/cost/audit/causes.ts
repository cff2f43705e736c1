/** Why a call cost what it cost: from its usage and the calls before it in the same conversation. */

import { promptTokens } from '../../meter/meter.ts';
import type { ModelCall } from '../../transcript/reading/calls.ts';
import { type CacheRules, lookupCacheRules } from '../cacheModel.ts';
import { type WriteCauses, writeCauses } from '../writeCauses.ts';
import { type CallCost, totalOf } from './money.ts';

/** Causes of costs. Each part of a call has exactly one. */
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
 * - `newInput`: input that was new and not written to a cache
 * - `cacheReads`: the prompt before it, read from the cache
 * - `growth`: input that was new and written to the cache
 * - `expiry`: the prompt was sent again because the cache had expired
 * - `changedPrefix`: the prompt was sent again because something in it, or the model, had changed
 * - `compaction`: the calls that summarize, and the prompts after them
 * - `coldStart`: the first prompt of a conversation
 * - `output`: answers, thinking included
 * - `subAgents`: everything that sub-agents cost
 */
export type CostCause = (typeof costCauses)[number];

/** Tokens and cost of one cause in one call. */
export interface CausedCost {
	cause: CostCause;
	tokens: number;
	/** In the unit of the call's cost. */
	amount: number;
}

/** Causes of what a request wrote, besides growth. */
const rewriteCauses = ['expiry', 'changedPrefix', 'compaction', 'coldStart'] as const;

/** Returns the cache rules of a conversation: its provider's, with the lifetime that its own figures show. */
function rulesOf(calls: readonly ModelCall[]): CacheRules {
	const { provider, model } = calls.at(-1) ?? { provider: '', model: '' };
	const requests = calls.map(({ at, usage }) => ({ startedAt: at, usage }));
	return lookupCacheRules(provider, model, requests);
}

/** The causes of what the calls of one conversation cost. O(calls). */
export class CausedConversation {
	readonly #writes = new Map<ModelCall, WriteCauses>();
	readonly #chargesWrites: boolean;

	/** @param calls those of one conversation, in order */
	constructor(calls: readonly ModelCall[]) {
		const requests = calls.filter((call) => !call.isSummary && !call.isSum);
		const rules = rulesOf(requests);
		this.#chargesWrites = rules.chargesWrites;
		// A provider that never reports a cache has none, so nothing can have been lost from it.
		if (!requests.some(({ usage }) => (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) > 0)) return;
		const billed = requests.map((call) => ({ ...call, isCompacted: call.isAfterCompaction }));
		for (const [index, causes] of writeCauses(billed, rules).entries()) {
			const call = requests[index];
			if (call !== undefined) this.#writes.set(call, causes);
		}
	}

	/** Returns the parts of one of the calls by cause. The amounts add up to the cost of the call. */
	split(call: ModelCall, cost: CallCost): CausedCost[] {
		const { input, output, cacheRead = 0, cacheWrite = 0 } = call.usage;
		if (call.subAgent !== undefined || call.isSummary) {
			const cause = call.subAgent === undefined ? 'compaction' : 'subAgents';
			return [{ cause, tokens: promptTokens(call.usage) + output, amount: totalOf(cost) }];
		}
		const written = this.#chargesWrites ? cacheWrite : input;
		const amount = this.#chargesWrites ? cost.cacheWrite : cost.input;
		const rewritten = this.#rewritten(call, written, amount);
		const again = { tokens: rewritten?.tokens ?? 0, amount: rewritten?.amount ?? 0 };
		const [inInput, inWrites] = this.#chargesWrites ? [nothing, again] : [again, nothing];
		const parts: CausedCost[] = [
			{ cause: 'newInput', tokens: input - inInput.tokens, amount: cost.input - inInput.amount },
			{ cause: 'cacheReads', tokens: cacheRead, amount: cost.cacheRead },
			{ cause: 'growth', tokens: cacheWrite - inWrites.tokens, amount: cost.cacheWrite - inWrites.amount },
			{ cause: 'output', tokens: output, amount: cost.output },
		];
		if (rewritten !== undefined) parts.push(rewritten);
		return parts.filter((part) => part.tokens > 0 || part.amount > 0);
	}

	/** What a call wrote again or for the first time, if it did more than grow. */
	#rewritten(call: ModelCall, written: number, amount: number): CausedCost | undefined {
		const writes = this.#writes.get(call);
		const cause = rewriteCauses.find((one) => (writes?.[one] ?? 0) > 0);
		if (writes === undefined || cause === undefined) return undefined;
		const tokens = Math.min(written, writes[cause]);
		return { cause, tokens, amount: written > 0 ? Math.round((amount * tokens) / written) : 0 };
	}
}

const nothing = { tokens: 0, amount: 0 };
