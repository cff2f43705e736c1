/** Estimates what the sessions of an audit would have cost with other compactions. */

import type { Settings } from '../../protocol/settings.ts';
import type { AuditScope, SessionCalls } from '../cost/audit/audit.ts';
import { computeCallCost, sumCallCost } from '../cost/audit/money.ts';
import { DistinctCalls, type ModelCall } from '../transcript/index.ts';
import { compareStrategies, type StrategyName, strategyNames } from './compare.ts';

/** Costs of an audit's sessions, as recorded and under each strategy, in US dollars. */
export interface Alternatives {
	/** Number of replayed conversations. Conversations with one call or without a known price are skipped. */
	sessions: number;
	/** Recorded cost of the sessions' calls, without sub-agents. */
	recordedUsd: number;
	/** The cost that a replay predicts for each strategy. */
	usd: Record<StrategyName, number>;
	/** Number of conversations in which the agent compacted. */
	compacted: number;
	/** Number of conversations with a pause in which the provider's cache expired. */
	withLongPause: number;
}

/** Minimum calls of a replayed conversation: all strategies treat shorter conversations alike. */
const minCalls = 2;

/** Costs of one conversation, in US dollars. */
export interface ConversationReplay extends Pick<Alternatives, 'recordedUsd' | 'usd'> {
	isCompacted: boolean;
	hasLongPause: boolean;
}

/** Caches replays by conversation key, because they take longer than the rest of an audit. */
export interface ConversationReplayCache {
	get(key: string): ConversationReplay | undefined;
	set(key: string, replay: ConversationReplay): void;
}

/** The period, prices, settings and cache with which the sessions of an audit are replayed. */
export interface ReplayScope extends Pick<AuditScope, 'from' | 'to' | 'includesFolder' | 'findPrices'> {
	settings: Settings;
	cache: ConversationReplayCache;
}

/** A session, and the calls of its main conversation without those of sub-agents. */
interface MainConversation {
	session: SessionCalls;
	calls: readonly ModelCall[];
}

/** Returns what a conversation would have cost under each strategy; undefined if its last model has no price. */
function replayConversation(
	{ session, calls }: MainConversation,
	{ settings, findPrices }: ReplayScope,
): ConversationReplay | undefined {
	const { provider = '', model = '' } = calls.at(-1) ?? {};
	const { usdPerMillion = 0 } = findPrices(provider, model);
	if (usdPerMillion === 0) return undefined;
	const requests = calls.filter(({ isSummary }) => !isSummary);
	const { agent } = session;
	const comparison = compareStrategies({ agent, provider, model, requests, settings });
	const usd = { nothing: 0, own: 0, full: 0, balanced: 0, cheap: 0 };
	for (const name of strategyNames) usd[name] = (comparison.results[name].cost * usdPerMillion) / 1e6;
	let recordedUsd = 0;
	for (const call of calls) {
		const cost = computeCallCost(call, findPrices(call.provider, call.model));
		if (cost.unit === 'nanoUsd') recordedUsd += sumCallCost(cost) / 1e9;
	}
	const { isCompacted, hasLongPause } = comparison;
	return { recordedUsd, usd, isCompacted, hasLongPause };
}

/**
 * Returns the conversations without copies. A conversation is a copy if at least half of its calls are also in longer
 * ones, as after a resume.
 */
function selectDistinctConversations(sessions: readonly SessionCalls[]): MainConversation[] {
	const distinctCalls = new DistinctCalls();
	const conversations = sessions
		.map((session) => ({
			session,
			calls: session.calls.filter(({ subAgent, isSum }) => subAgent === undefined && !isSum),
		}))
		.filter(({ calls }) => calls.length >= minCalls);
	return conversations
		.sort((one, other) => other.calls.length - one.calls.length)
		.filter(({ session: { agent }, calls }) => {
			const newCallCount = calls.reduce((sum, call) => sum + (distinctCalls.add(agent, call) ? 1 : 0), 0);
			return newCallCount * 2 > calls.length;
		});
}

/**
 * Returns what the sessions of an audit would have cost under each strategy; undefined if none can be
 * replayed. Assumes what `compareStrategies` assumes, and the prices of each session's last model. O(calls).
 */
export function compareAlternatives(
	sessions: readonly SessionCalls[],
	scope: ReplayScope,
): Alternatives | undefined {
	const { from, to, includesFolder, cache } = scope;
	const usd = { nothing: 0, own: 0, full: 0, balanced: 0, cheap: 0 };
	const result: Alternatives = { sessions: 0, recordedUsd: 0, usd, compacted: 0, withLongPause: 0 };
	for (const conversation of selectDistinctConversations(sessions)) {
		const { session, calls } = conversation;
		if (includesFolder?.(session.calls[0]?.folder ?? session.folder) === false) continue;
		if (!calls.some(({ at }) => at >= from && at <= to)) continue;
		const key = [session.path, calls.length, calls.at(-1)?.id].join('\0');
		const replay = cache.get(key) ?? replayConversation(conversation, scope);
		if (replay === undefined) continue;
		cache.set(key, replay);
		result.sessions++;
		result.recordedUsd += replay.recordedUsd;
		if (replay.isCompacted) result.compacted++;
		if (replay.hasLongPause) result.withLongPause++;
		for (const name of strategyNames) usd[name] += replay.usd[name];
	}
	return result.sessions > 0 ? result : undefined;
}
