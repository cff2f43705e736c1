/**
 * Replays a session under a strategy: computes what its requests would have cost with compactions at other moments and to
 * other sizes. Costs are in tokens at the price of input. The recorded answers stay the same.
 */

import { type CacheRules, PromptCache, type PromptCost } from '../cost/cacheModel.ts';
import { inputPrice } from '../cost/prices.ts';
import { estimateRereadAfterModel, estimateRereadAfterView, tokensPerReread } from './rereads.ts';
import type { ReplaySession, ReplayStep } from './steps.ts';

/** A compaction that a strategy chooses. */
export interface ReplayCompaction {
	/** Tokens of the history after the compaction. */
	remainingTokens: number;
	/** Whether a model writes a summary. */
	isByModel: boolean;
	/** contextd's estimate of the compaction's cost, in tokens at the price of input. */
	costTokens?: number;
	/** contextd's estimate of what each later request saves, in tokens at the price of input. */
	savesPerCallTokens?: number;
}

/** What a strategy knows before a request is sent. Numbers are tokens. */
export interface ReplayMoment {
	/** The whole prompt if nothing is compacted. */
	promptTokens: number;
	/** The history in the prompt. */
	historyTokens: number;
	/** Tokens by which the prompt grew per request so far; undefined before the second request. */
	growthTokens: number | undefined;
	/** Whether the cache has expired. */
	isCold: boolean;
	/** Cost so far. */
	spentTokens: number;
	/** The part of the last compaction's cost that later requests have not saved yet. */
	owedTokens: number;
}

/** Returns how to compact a session before a request; undefined to send it uncompacted. */
export type Strategy = (moment: ReplayMoment) => ReplayCompaction | undefined;

/** The cache rules, prices and sizes that are the same for all strategies. */
export interface ReplayBasis {
	rules: CacheRules;
	/** Prices as multiples of the price of input. */
	prices: { read: number; write: number; output: number };
	/** Tokens of the history after the agent's own compaction, and of the summary that its model writes. */
	agentCompaction: { remainingTokens: number; summaryTokens: number };
}

/** What a session cost under a strategy. */
export interface ReplayResult {
	/** Tokens at the price of input. */
	cost: number;
	compactionCount: number;
	/** Tokens that the agent is estimated to have read again because of compactions. */
	rereadTokens: number;
	/** Number of requests that read something again, or in which a model summarized. */
	extraRequestCount: number;
}

/** Tokens that the model writes to call a tool that reads a file. */
const rereadCallTokens = 150;

class Replay {
	readonly result: ReplayResult = { cost: 0, compactionCount: 0, rereadTokens: 0, extraRequestCount: 0 };
	readonly #session: ReplaySession;
	readonly #basis: ReplayBasis;
	readonly #strategy: Strategy;
	readonly #cache: PromptCache;
	#promptTokens = 0;
	#sentAt: number | undefined;
	#owedTokens = 0;
	#savesPerCallTokens = 0;
	/** Sum and number of the growths after the first step. */
	#growth = { sum: 0, count: 0 };
	#isFirst = true;
	/** Removed tokens that the agent needs and has not read again yet. */
	#missingTokens = 0;

	constructor(session: ReplaySession, basis: ReplayBasis, strategy: Strategy) {
		this.#session = session;
		this.#basis = basis;
		this.#strategy = strategy;
		this.#cache = new PromptCache(basis.rules);
	}

	run(): ReplayResult {
		for (const step of this.#session.steps) this.#advance(step);
		return this.result;
	}

	#advance(step: ReplayStep): void {
		const { headTokens, fixedTokens } = this.#session;
		const nextTokens = Math.max(fixedTokens, this.#promptTokens + step.growthTokens);
		const compaction = this.#isFirst ? undefined : this.#strategy(this.#describeMoment(step, nextTokens));
		const isCompacted = compaction !== undefined && fixedTokens + compaction.remainingTokens < nextTokens;
		if (isCompacted && compaction.isByModel) this.#summarize(step);
		const tokensBefore = this.#promptTokens;
		this.#promptTokens = isCompacted ? Math.ceil(fixedTokens + compaction.remainingTokens) : nextTokens;
		const cachedTokens = step.cachedShare === 1 ? tokensBefore : Math.floor(step.cachedShare * tokensBefore);
		this.#sendRequest(step, isCompacted ? Math.min(headTokens, cachedTokens) : cachedTokens);
		this.result.cost += step.outputTokens * this.#basis.prices.output;
		this.#recordGrowth(step.growthTokens);
		this.#owedTokens = Math.max(0, this.#owedTokens - this.#savesPerCallTokens);
		if (isCompacted) this.#addRereads(step, compaction, nextTokens - this.#promptTokens);
	}

	#describeMoment({ at }: ReplayStep, nextTokens: number): ReplayMoment {
		const idleMs = at === undefined || this.#sentAt === undefined ? 0 : at - this.#sentAt;
		const { sum, count } = this.#growth;
		return {
			promptTokens: nextTokens,
			historyTokens: nextTokens - this.#session.fixedTokens,
			growthTokens: count === 0 ? undefined : sum / count,
			isCold: idleMs > this.#basis.rules.lifetimeMs,
			spentTokens: this.result.cost,
			owedTokens: this.#owedTokens,
		};
	}

	/** Records growth as the meter does: the first prompt and dropped messages do not count as growth. */
	#recordGrowth(growthTokens: number): void {
		if (!this.#isFirst && growthTokens > 0) {
			this.#growth.sum += growthTokens;
			this.#growth.count += 1;
		}
		this.#isFirst = false;
	}

	/** Adds the cost of a model's summary: reading the whole prompt (if possible from the cache), and writing. */
	#summarize(step: ReplayStep): void {
		this.#sendRequest(step, this.#promptTokens);
		this.result.cost += this.#basis.agentCompaction.summaryTokens * this.#basis.prices.output;
		this.result.extraRequestCount += 1;
	}

	#sendRequest({ at, cachedShare }: ReplayStep, unchangedTokens: number): void {
		const { headTokens, sharedTokens } = this.#session;
		const cost = this.#cache.simulate({
			at,
			promptTokens: this.#promptTokens,
			unchangedTokens,
			headTokens,
			// If the prompt's start changed, the cache still had the tokens that the recorded request read.
			sharedTokens: cachedShare === 1 ? sharedTokens : Math.max(sharedTokens, unchangedTokens),
		});
		this.result.cost += this.#computeCost(cost);
		this.#sentAt = at ?? this.#sentAt;
	}

	#computeCost({ read, write, input }: PromptCost): number {
		const { prices } = this.#basis;
		return read * prices.read + write * prices.write + input * inputPrice;
	}

	/** Adds the cost of requests in which the agent reads removed content again. */
	#addRereads(step: ReplayStep, compaction: ReplayCompaction, removedTokens: number): void {
		const { remainingTokens, isByModel, costTokens = 0, savesPerCallTokens = 0 } = compaction;
		this.#owedTokens = Math.max(0, costTokens - savesPerCallTokens);
		this.#savesPerCallTokens = savesPerCallTokens;
		const { agentCompaction, prices } = this.#basis;
		this.#missingTokens += isByModel
			? estimateRereadAfterModel(removedTokens)
			: estimateRereadAfterView(removedTokens, remainingTokens, agentCompaction.remainingTokens);
		for (; this.#missingTokens >= tokensPerReread; this.#missingTokens -= tokensPerReread) {
			const tokensBefore = this.#promptTokens;
			this.#promptTokens += tokensPerReread;
			this.#sendRequest(step, tokensBefore);
			this.result.cost += rereadCallTokens * prices.output;
			this.result.rereadTokens += tokensPerReread;
			this.result.extraRequestCount += 1;
		}
		this.result.compactionCount += 1;
	}
}

/** Returns what a session would have cost under a strategy. Linear time. */
export function replaySession(session: ReplaySession, basis: ReplayBasis, strategy: Strategy): ReplayResult {
	return new Replay(session, basis, strategy).run();
}
