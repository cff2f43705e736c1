/** Finds why requests wrote their prompts to the provider's cache, from their reported usage. */

import type { Usage } from '../../protocol/conversation.ts';
import { sumPromptTokens } from '../meter/meter.ts';
import type { CacheRules } from './cacheModel.ts';

/** One request of a session with its reported usage. */
export interface BilledRequest {
	/** When the request was sent, in milliseconds. */
	at?: number;
	model?: string;
	usage: Usage;
	/** Whether the history was compacted since the previous request. */
	isCompacted?: boolean;
}

/**
 * Tokens that a request did not read from the cache, by cause. If the provider charges for writes, these are the written
 * tokens, otherwise the tokens of plain input.
 */
export interface WriteCauses {
	/** Tokens of new messages. */
	growth: number;
	/** Tokens that were cached before a pause longer than the cache's lifetime. */
	expiry: number;
	/** Cached tokens that were written again, because the prompt or model changed or the provider dropped them. */
	changedPrefix: number;
	/** All unread tokens of the first request after a compaction. */
	compaction: number;
	/** All unread tokens of a session's first request. */
	coldStart: number;
}

/** Number of token blocks at the end of a prompt that automatic caches often lose. */
const maxLostBlocks = 4;
/** A prompt smaller than this share of the previous prompt was compacted, even if the transcript does not say so. */
const maxCompactedShare = 0.5;

const zeroCauses: WriteCauses = { growth: 0, expiry: 0, changedPrefix: 0, compaction: 0, coldStart: 0 };

/** Returns the tokens of a prompt that the provider has cached after its answer. */
function countCachedTokens(usage: Usage, rules: CacheRules): number {
	const { cacheRead = 0, cacheWrite = 0 } = usage;
	if (rules.kind === 'breakpoints') return cacheRead + cacheWrite;
	const promptTokens = sumPromptTokens(usage);
	return Math.floor(promptTokens / rules.blockTokens) * rules.blockTokens;
}

/** Returns the causes of a request's writes. `isCompacted`: whether the history was compacted since the previous request. */
function findWriteCauses(
	request: BilledRequest,
	previous: BilledRequest | undefined,
	rules: CacheRules,
	isCompacted: boolean,
): WriteCauses {
	const { usage } = request;
	const paidTokens = rules.chargesWrites ? (usage.cacheWrite ?? 0) : usage.input;
	if (previous === undefined) return { ...zeroCauses, coldStart: paidTokens };
	const promptTokens = sumPromptTokens(usage);
	const isShrunk = promptTokens < maxCompactedShare * sumPromptTokens(previous.usage);
	if (isCompacted || isShrunk) return { ...zeroCauses, compaction: paidTokens };
	const lostTokens =
		Math.min(countCachedTokens(previous.usage, rules), promptTokens) - (usage.cacheRead ?? 0);
	if (lostTokens <= maxLostBlocks * rules.blockTokens) return { ...zeroCauses, growth: paidTokens };
	const rewritten = Math.min(paidTokens, lostTokens);
	const growth = paidTokens - rewritten;
	const idleMs = (request.at ?? 0) - (previous.at ?? request.at ?? 0);
	const isOtherModel = request.model !== previous.model;
	return idleMs > rules.lifetimeMs && !isOtherModel
		? { ...zeroCauses, growth, expiry: rewritten }
		: { ...zeroCauses, growth, changedPrefix: rewritten };
}

/**
 * Returns the causes of each request's writes, in order. All requests must belong to one conversation, because a sub-agent
 * has a separate cache. A request without a prompt, such as an aborted request, has no causes and is otherwise ignored.
 * Linear time.
 */
export function listWriteCauses(requests: readonly BilledRequest[], rules: CacheRules): WriteCauses[] {
	let previous: BilledRequest | undefined;
	let isCompacted = false;
	return requests.map((request) => {
		isCompacted ||= request.isCompacted === true;
		if (sumPromptTokens(request.usage) === 0) return zeroCauses;
		const causes = findWriteCauses(request, previous, rules, isCompacted);
		previous = request;
		isCompacted = false;
		return causes;
	});
}
