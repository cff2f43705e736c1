/** `context/recover`: what to do after a provider's error. An overflow is compacted without any model. */

import { resolvePolicy } from '../core/compact/resolvePolicy.ts';
import type { CompactResult } from '../core/compact/result.ts';
import type { FormatName } from '../core/format/adapter.ts';
import type { ModelRequest } from '../core/measure/stats.ts';
import { classifyError } from '../core/overflow/classify.ts';
import { compact } from './compaction.ts';
import type { Watcher } from './compactRequest.ts';
import { renderHistory } from './history.ts';
import { commit, type Session, writable } from './session.ts';
import { type Standing, standingOf } from './stats.ts';
import type { SessionStore } from './store.ts';

export interface RecoverOrder {
	error: unknown;
	/** Which attempt this is, from 1; counted by the session where absent. */
	attempt?: number;
	request?: ModelRequest;
	format: FormatName;
}

export interface RecoverAnswer {
	isContextOverflow: boolean;
	provider: string | null;
	actualTokens?: number;
	limitTokens?: number;
	retryable: boolean;
	attempt: number;
	compaction?: CompactResult;
	messages?: unknown[];
	system?: unknown;
	warnings?: string[];
	reason?: string;
}

const mostAttempts = 2;

/** Share of the provider's limit that a recovery comes down to. */
const shareOfLimit = 0.7;

/** A limit below this is no window but some other figure of the error. Tokens. */
const smallestWindow = 1000;

/** How many of the provider's tokens one of ours is, where the error says how many it counted. */
function drift(actual: number | undefined, estimated: number): number {
	if (actual === undefined || estimated <= 0) return 1;
	return Math.min(4, Math.max(0.5, actual / estimated));
}

/** Tokens that the history may have for the whole request to come down to its share of the limit. */
function targetOf(standing: Standing, limit: number, actual: number | undefined): number {
	const { tokens, breakdown } = standing.reading;
	const wanted = (shareOfLimit * limit) / drift(actual, tokens);
	return Math.max(0, Math.floor(wanted - (tokens - breakdown.conversationHistory)));
}

/** Classifies an error, and where it is an overflow makes room for another try. */
export async function recover(
	store: SessionStore,
	session: Session,
	order: RecoverOrder,
	watcher: Watcher,
): Promise<RecoverAnswer> {
	const { world } = store;
	const overlay = { request: order.request };
	let standing = await standingOf(store, session, overlay);
	const found = classifyError(order.error, { contextWindow: standing.budget.contextWindow });
	const attempt = order.attempt ?? session.recoveries + 1;
	const answer = { ...found, attempt };
	const give = (reason: string): RecoverAnswer => ({
		...answer,
		retryable: found.isContextOverflow ? false : found.retryable,
		reason,
	});
	if (!found.isContextOverflow) return give('the error is no context overflow');
	if (!world.settings().compaction.enabled) return give('disabled: auto-compaction is off');
	if (session.state.view.length === 0) return give('the session has no messages');
	if (attempt > mostAttempts) return give(`attempts_exhausted: ${mostAttempts} attempts were made`);
	writable(session);
	session.recoveries = attempt;
	const limit = found.limitTokens ?? standing.budget.contextWindow;
	if (limit >= smallestWindow && limit < standing.budget.contextWindow) {
		await commit(world, session, { t: 'set', change: { contextWindow: limit } });
		standing = await standingOf(store, session, overlay);
	}
	const compaction = await compact(store, session, {
		cause: 'recover',
		policy: resolvePolicy({
			settings: world.settings(),
			contextWindow: limit,
			cutUserMessages: 'when nothing else is left',
		}),
		target: targetOf(standing, limit, found.actualTokens),
		dryRun: false,
		signal: watcher.signal,
		report: watcher.report,
	});
	if (!compaction.compacted) return { ...give(`${compaction.reasonCode}: ${compaction.reason}`), compaction };
	const { messages, system, warnings } = await renderHistory(session, store.bodies, order.format);
	const cut = compaction.removed.filter((one) => one.role === 'user' && one.change === 'shortened');
	return {
		...answer,
		retryable: true,
		compaction,
		messages,
		...(system !== undefined && { system }),
		warnings: [...cut.map((one) => `the middle of user message ${one.messageId} was cut`), ...warnings],
	};
}
