/**
 * Replays a session under a strategy: what its requests would have cost had it been compacted at other moments, to
 * other sizes. All costs are in tokens at the price of input. Answers are those that were recorded.
 */

import { type CacheRules, PromptCache, type PromptCost } from '../cost/cacheModel.ts';
import { inputPrice } from '../cost/prices.ts';
import { estimateRereadAfterModel, estimateRereadAfterView, tokensPerReread } from './rereads.ts';
import type { ReplaySession, ReplayStep } from './steps.ts';

/** A compaction that a strategy chooses. */
export interface ReplayCompaction {
	/** Tokens of the history after the compaction. */
	leaves: number;
	/** Whether a model writes a summary. */
	isByModel: boolean;
	/** contextd's estimate of the compaction's cost, in tokens at the price of input. */
	costTokens?: number;
	/** contextd's estimate of what each later request saves, in tokens at the price of input. */
	savesPerCallTokens?: number;
}

/** What a strategy knows before a request is sent. All numbers are tokens. */
export interface ReplayMoment {
	/** The whole prompt if nothing is compacted. */
	prompt: number;
	/** The history in the prompt. */
	history: number;
	/** Tokens by which the prompt grew per request so far; undefined before the second request. */
	growth: number | undefined;
	/** Whether the cache has expired. */
	isCold: boolean;
	/** Cost so far. */
	spent: number;
	/** The part of the last compaction's cost that later requests have not saved yet. */
	owed: number;
}

/** Decides how a session is compacted before a request; returns undefined if it is not compacted. */
export type ReplayStrategy = (moment: ReplayMoment) => ReplayCompaction | undefined;

/** The cache rules, prices and sizes that are the same for all strategies. */
export interface ReplayBasis {
	rules: CacheRules;
	/** Prices as multiples of the price of input. */
	prices: { read: number; write: number; output: number };
	/** Tokens of the history after the agent's own compaction, and of the summary that its model writes. */
	own: { leaves: number; writes: number };
}

/** What a session cost under a strategy. */
export interface ReplayResult {
	/** Tokens at the price of input. */
	cost: number;
	compactionCount: number;
	/** Tokens that the agent is estimated to have read again because of compactions. */
	rereadTokens: number;
	/** Requests that read something again, or in which a model summarized. */
	extraRequestCount: number;
}

/** Tokens of a call that reads a file. */
const rereadCallTokens = 150;

class Replay {
	readonly result: ReplayResult = { cost: 0, compactionCount: 0, rereadTokens: 0, extraRequestCount: 0 };
	readonly #session: ReplaySession;
	readonly #basis: ReplayBasis;
	readonly #strategy: ReplayStrategy;
	readonly #cache: PromptCache;
	#prompt = 0;
	#sentAt: number | undefined;
	#owed = 0;
	#savesPerCall = 0;
	/** Sum of the growths of all steps but the first, and their number. */
	#growth = { sum: 0, count: 0 };
	#isFirst = true;
	/** Tokens that the agent misses and has not read again yet. */
	#missing = 0;

	constructor(session: ReplaySession, basis: ReplayBasis, strategy: ReplayStrategy) {
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
		const next = Math.max(fixedTokens, this.#prompt + step.growth);
		const chosen = this.#isFirst ? undefined : this.#strategy(this.#momentOf(step, next));
		const isCompacted = chosen !== undefined && fixedTokens + chosen.leaves < next;
		if (isCompacted && chosen.isByModel) this.#summarize(step);
		const before = this.#prompt;
		this.#prompt = isCompacted ? Math.ceil(fixedTokens + chosen.leaves) : next;
		const kept = step.cachedShare === 1 ? before : Math.floor(step.cachedShare * before);
		this.#send(step, isCompacted ? Math.min(headTokens, kept) : kept);
		this.result.cost += step.output * this.#basis.prices.output;
		this.#count(step.growth);
		this.#owed = Math.max(0, this.#owed - this.#savesPerCall);
		if (isCompacted) this.#afterCompaction(step, chosen, next - this.#prompt);
	}

	#momentOf({ at }: ReplayStep, next: number): ReplayMoment {
		const idleMs = at === undefined || this.#sentAt === undefined ? 0 : at - this.#sentAt;
		const { sum, count } = this.#growth;
		return {
			prompt: next,
			history: next - this.#session.fixedTokens,
			growth: count === 0 ? undefined : sum / count,
			isCold: idleMs > this.#basis.rules.lifetimeMs,
			spent: this.result.cost,
			owed: this.#owed,
		};
	}

	/** Records growth as the meter does: neither the first prompt nor dropped messages count as growth. */
	#count(growth: number): void {
		if (!this.#isFirst && growth > 0) {
			this.#growth.sum += growth;
			this.#growth.count += 1;
		}
		this.#isFirst = false;
	}

	/** Adds the cost of a model that reads the whole prompt, from the cache unless it expired, and writes a summary. */
	#summarize(step: ReplayStep): void {
		this.#send(step, this.#prompt);
		this.result.cost += this.#basis.own.writes * this.#basis.prices.output;
		this.result.extraRequestCount += 1;
	}

	#send({ at, cachedShare }: ReplayStep, unchanged: number): void {
		const { headTokens, sharedTokens } = this.#session;
		const use = this.#cache.send({
			at,
			promptTokens: this.#prompt,
			unchangedTokens: unchanged,
			headTokens,
			// The tokens that a recorded request read of a changed prompt are a beginning that the provider had
			// stored.
			sharedTokens: cachedShare === 1 ? sharedTokens : Math.max(sharedTokens, unchanged),
		});
		this.result.cost += this.#costOf(use);
		this.#sentAt = at ?? this.#sentAt;
	}

	#costOf({ read, write, input }: PromptCost): number {
		const { prices } = this.#basis;
		return read * prices.read + write * prices.write + input * inputPrice;
	}

	/** Adds the cost of the further requests in which the agent reads again what it misses. */
	#afterCompaction(step: ReplayStep, chosen: ReplayCompaction, removed: number): void {
		const { leaves, isByModel, costTokens = 0, savesPerCallTokens = 0 } = chosen;
		this.#owed = Math.max(0, costTokens - savesPerCallTokens);
		this.#savesPerCall = savesPerCallTokens;
		const { own, prices } = this.#basis;
		this.#missing += isByModel
			? estimateRereadAfterModel(removed)
			: estimateRereadAfterView(removed, leaves, own.leaves);
		for (; this.#missing >= tokensPerReread; this.#missing -= tokensPerReread) {
			const before = this.#prompt;
			this.#prompt += tokensPerReread;
			this.#send(step, before);
			this.result.cost += rereadCallTokens * prices.output;
			this.result.rereadTokens += tokensPerReread;
			this.result.extraRequestCount += 1;
		}
		this.result.compactionCount += 1;
	}
}

/** Returns what a session would have cost under a strategy. Linear time. */
export function replaySession(
	session: ReplaySession,
	basis: ReplayBasis,
	strategy: ReplayStrategy,
): ReplayResult {
	return new Replay(session, basis, strategy).run();
}
