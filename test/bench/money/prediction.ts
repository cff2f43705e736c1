/** The accuracy with which the model of the cache predicts the figures that providers reported. */

import {
	type CacheRules,
	lookupCacheRules,
	type PromptCost,
	type PromptRequest,
} from '../../../server/core/cost/cacheModel.ts';
import { sumPromptTokens } from '../../../server/core/meter/meter.ts';
import { predictCacheUse } from '../../support/predictCacheUse.ts';
import type { RecordedSession, SessionRequest } from './corpusSessions.ts';

/** Tokens of a session in total. */
export interface Totals {
	read: number;
	/** Tokens that were written to the cache, or paid as plain input if the provider does not charge for writes. */
	paid: number;
}

export interface SessionPrediction {
	session: RecordedSession;
	predicted: Totals;
	recorded: Totals;
	/** Error of `predicted.read`, as a share of `recorded.read`. */
	readError: number;
	/** Error of `predicted.paid`, as a share of `recorded.paid`. */
	paidError: number;
}

const charsPerToken = 3.5;
/** Returns the rules by which a session's provider caches. */
export function rulesOf({ provider, model, requests }: RecordedSession): CacheRules {
	const cached = requests.map(({ at = 0, usage }) => ({ startedAt: at, usage }));
	return lookupCacheRules(provider, model, cached);
}

/**
 * Returns the tokens of system prompt and tools, from the first request: the tokens that it read from the cache if another
 * session had written them, otherwise its prompt without the messages.
 */
function headTokens({ usage, newChars }: SessionRequest): number {
	const counted = sumPromptTokens(usage) - newChars / charsPerToken;
	return usage.cacheRead || Math.max(0, Math.floor(counted));
}

/** Matches models that, if thinking is on, always think before the first answer of a turn. */
const thinksFirst = /^claude-(?:opus|sonnet|haiku)-4-5/;

/** Share of the previous prompt below which a prompt counts as compacted, even if the transcript does not say so. */
const compactedShare = 0.5;

/** Whether the agent compacted between two requests. */
export function isReplaced(request: SessionRequest, before: SessionRequest): boolean {
	const isSmaller = sumPromptTokens(request.usage) < compactedShare * sumPromptTokens(before.usage);
	return request.isCompacted || isSmaller;
}

/** The requests of a session so far, to compute their common prefix with the next request. */
class Beginnings {
	readonly #isAutomatic: boolean;
	#previous: SessionRequest | undefined;
	#turn = 0;
	#isThinking: boolean | undefined;

	constructor({ kind }: CacheRules) {
		this.#isAutomatic = kind === 'automatic';
	}

	/** Records a request. Returns the tokens that it shares with the previous one; `head` is the size of system prompt and tools. */
	next(request: SessionRequest, head: number): number {
		const { model, usage, startsTurn, thinks } = request;
		const previous = this.#previous;
		const isNew = previous === undefined || isReplaced(request, previous);
		// Switching thinking on or off invalidates the messages, but neither system prompt nor tools.
		const isSwitched =
			thinksFirst.test(model) && thinks !== undefined && thinks !== (this.#isThinking ?? thinks);
		// Codex drops the reasoning of the previous turn when a person types.
		const kept = this.#isAutomatic && startsTurn ? this.#turn : sumPromptTokens(previous?.usage ?? usage);
		this.#isThinking = thinks ?? this.#isThinking;
		if (startsTurn || isNew) this.#turn = sumPromptTokens(usage);
		this.#previous = request;
		return isNew || isSwitched ? head : kept;
	}
}

/** Returns the requests in the form that the cache model reads, without the transcript's own cache figures. */
export function promptRequests({ requests }: RecordedSession, rules: CacheRules): PromptRequest[] {
	const [first] = requests;
	if (first === undefined) return [];
	const head = headTokens(first);
	const shared = first.usage.cacheRead ?? 0;
	const beginnings = new Beginnings(rules);
	let blocks = 0;
	return requests.map((request) => {
		const { at, model, usage, isCompacted, newBlocks } = request;
		blocks = isCompacted ? newBlocks : blocks + newBlocks;
		const unchanged = beginnings.next(request, head);
		const prompt = sumPromptTokens(usage);
		return {
			...(at !== undefined && { at }),
			model,
			promptTokens: prompt,
			unchangedTokens: unchanged,
			headTokens: head,
			sharedTokens: shared,
			blocks,
		};
	});
}

function totalsOf(uses: readonly PromptCost[]): Totals {
	const sum = (pick: (use: PromptCost) => number): number =>
		uses.reduce((total, use) => total + pick(use), 0);
	return { read: sum(({ read }) => read), paid: sum(({ write, input }) => write + input) };
}

/** Returns the totals that the model predicts for a session, next to the totals that the provider reported. */
export function predictSession(session: RecordedSession): SessionPrediction {
	const rules = rulesOf(session);
	const predicted = totalsOf(predictCacheUse(promptRequests(session, rules), rules));
	const recorded = totalsOf(
		session.requests.map(({ usage }) => ({
			read: usage.cacheRead ?? 0,
			write: usage.cacheWrite ?? 0,
			input: usage.input,
		})),
	);
	const error = (key: keyof Totals): number => predicted[key] / Math.max(1, recorded[key]) - 1;
	return { session, predicted, recorded, readError: error('read'), paidError: error('paid') };
}
