/** What the sessions of an audit would have cost if they had been compacted otherwise. Estimates. */

import type { Settings } from '../../protocol/settings.ts';
import type { AuditScope, SessionCalls } from '../cost/audit/audit.ts';
import { costOfCall, totalOf } from '../cost/audit/money.ts';
import type { ModelCall } from '../transcript/reading/calls.ts';
import { compareStrategies, type StrategyName, strategyNames } from './compare.ts';

/** Costs of the same sessions, in US dollars. */
export interface Alternatives {
	/** Conversations that were replayed: those with several calls, whose model has a known price. */
	sessions: number;
	/** What their calls cost as recorded, without those of sub-agents. */
	recordedUsd: number;
	/** What a replay of each strategy predicts. */
	usd: Record<StrategyName, number>;
	/** Conversations in which the agent compacted, and in which a pause was longer than the cache lives. */
	compacted: number;
	withLongPause: number;
}

/** Shorter conversations are alike under every strategy. */
const minCalls = 2;

/** What one conversation would have cost, in tokens at the price of input. */
export interface ConversationReplay {
	cost: Record<StrategyName, number>;
	isCompacted: boolean;
	hasLongPause: boolean;
}

/** Replays of conversations by their keys: a replay takes longer than everything else in an audit. */
export interface ReplayMemory {
	get(key: string): ConversationReplay | undefined;
	set(key: string, replay: ConversationReplay): void;
}

/** What is needed to replay the sessions of an audit. */
export interface ReplayScope extends Pick<AuditScope, 'from' | 'to' | 'includesFolder' | 'pricesOf'> {
	settings: Settings;
	memory: ReplayMemory;
}

/** Returns what a conversation would have cost under each strategy. */
function replayOf({ session, calls }: MainConversation, settings: Settings): ConversationReplay {
	const { provider = '', model = '' } = calls.at(-1) ?? {};
	const requests = calls
		.filter(({ isSummary }) => !isSummary)
		.map(({ at, model: asked, usage, isAfterCompaction }) => ({
			at,
			model: asked,
			usage,
			...(isAfterCompaction && { isCompacted: true }),
		}));
	const { agent } = session;
	const compared = compareStrategies({ agent, provider, model, requests, settings });
	const cost = Object.fromEntries(strategyNames.map((name) => [name, compared.results[name].cost]));
	const { isCompacted, hasLongPause } = compared;
	return { cost: cost as ConversationReplay['cost'], isCompacted, hasLongPause };
}

/** The calls of a main conversation, and their keys. */
interface MainConversation {
	session: SessionCalls;
	calls: readonly ModelCall[];
	keys: readonly string[];
}

function mainOf(session: SessionCalls): MainConversation {
	const calls = session.calls.filter(({ subAgent, isSum }) => subAgent === undefined && !isSum);
	return { session, calls, keys: calls.map(({ id, at }) => `${session.agent}\0${id}\0${at}`) };
}

/**
 * Returns conversations that have no half of their calls in common with a longer one: of the copies of a resumed
 * session, the longest.
 */
function distinctConversations(sessions: readonly SessionCalls[]): MainConversation[] {
	const seen = new Set<string>();
	const mains = sessions.map(mainOf).filter(({ calls }) => calls.length >= minCalls);
	return mains
		.sort((one, other) => other.calls.length - one.calls.length)
		.filter(({ keys }) => {
			const known = keys.filter((key) => seen.has(key)).length;
			for (const key of keys) seen.add(key);
			return known * 2 < keys.length;
		});
}

/** Replays conversations one after the other. */
class Comparison {
	readonly #scope: ReplayScope;
	readonly result: Alternatives = {
		sessions: 0,
		recordedUsd: 0,
		usd: { nothing: 0, own: 0, full: 0, balanced: 0, cheap: 0 },
		compacted: 0,
		withLongPause: 0,
	};

	constructor(scope: ReplayScope) {
		this.#scope = scope;
	}

	add(conversation: MainConversation): void {
		const { session, calls, keys } = conversation;
		const last = calls.at(-1);
		const project = session.calls[0]?.folder ?? session.folder;
		if (last === undefined || this.#scope.includesFolder?.(project) === false) return;
		if (!calls.some(({ at }) => at >= this.#scope.from && at <= this.#scope.to)) return;
		const { provider, model } = last;
		const { usdPerMillion = 0 } = this.#scope.pricesOf(provider, model);
		if (usdPerMillion === 0) return;
		const { settings, memory } = this.#scope;
		const key = [session.path, keys.length, keys.at(-1)].join('\0');
		const replay = memory.get(key) ?? replayOf(conversation, settings);
		memory.set(key, replay);
		const { result } = this;
		result.sessions++;
		if (replay.isCompacted) result.compacted++;
		if (replay.hasLongPause) result.withLongPause++;
		for (const name of strategyNames) result.usd[name] += (replay.cost[name] * usdPerMillion) / 1e6;
		for (const call of calls) {
			const cost = costOfCall(call, this.#scope.pricesOf(call.provider, call.model));
			if (cost.unit === 'nanoUsd') result.recordedUsd += totalOf(cost) / 1e9;
		}
	}
}

/**
 * Returns what the sessions of an audit would have cost under each strategy; undefined if none can be replayed. The
 * assumptions are those of `compareStrategies`, and the price of each session's last model. O(calls).
 */
export function compareAlternatives(
	sessions: readonly SessionCalls[],
	scope: ReplayScope,
): Alternatives | undefined {
	const comparison = new Comparison(scope);
	for (const conversation of distinctConversations(sessions)) comparison.add(conversation);
	return comparison.result.sessions > 0 ? comparison.result : undefined;
}
