/** `context/compact`: from what a call asks to a compaction, one at a time in a session. */

import { resolvePolicy } from '../../core/compact/resolvePolicy.ts';
import { defaultTarget, historyBudget } from '../../core/compact/target.ts';
import { Failure } from '../../core/failure.ts';
import { isSeenThrough } from '../../core/history/seen.ts';
import type { CompactionConfig, CompactResult } from '../../protocol/compact.ts';
import type { ModelRequest } from '../../protocol/conversation.ts';
import type { Session } from '../session.ts';
import { writable } from '../session.ts';
import { isJustCompacted, type Standing, standingOf } from '../stats.ts';
import type { SessionStore } from '../store.ts';
import { compact } from './compact.ts';
import { inLane, isInLane, type Visit } from './lane.ts';
import { nothingDone } from './receipt.ts';
import type { Summarizer } from './summarizer.ts';

export interface CompactOrder {
	config?: CompactionConfig;
	instructions?: string;
	preserve?: readonly string[];
	/** Tokens. */
	targetTokens?: number;
	request?: ModelRequest;
	/** What a summary says of where its originals can be read; `context/original` where absent. */
	recallHint?: string;
	/** Where the room is needed later, nothing is done without a model's summary; `now` where absent. */
	needed?: 'now' | 'later';
}

export interface Watcher {
	signal: AbortSignal;
	report(what: string, percentage: number): void;
}

/** How work that this caller waits for comes into the lane of a session. */
export function visitOf(store: SessionStore, { signal, report }: Watcher): Visit {
	return { signal, log: store.world.log, onWait: () => report('waiting for another compaction', 0) };
}

/** A history of fewer messages than this has nothing between its ends. */
const fewest = 3;

/** Share of today's tokens that goes where the history is below its target already. */
const defaultFraction = 0.5;

/** How far down to go: what the call says, else the low-water mark, else half of what there is. */
function targetOf(order: CompactOrder, standing: Standing, store: SessionStore): number {
	if (order.targetTokens !== undefined) return order.targetTokens;
	const { breakdown } = standing.reading;
	const target = defaultTarget(breakdown, standing.budget, store.world.settings());
	return breakdown.conversationHistory > target
		? target
		: Math.floor(breakdown.conversationHistory * (1 - (order.config?.truncationFraction ?? defaultFraction)));
}

function refuse(
	session: Session,
	order: CompactOrder,
	standing: Standing,
	target: number,
): CompactResult | null {
	const { state } = session;
	const tokens = standing.reading.breakdown.conversationHistory;
	const nothing = (code: Parameters<typeof nothingDone>[3], reason: string): CompactResult =>
		nothingDone(state, target, 'nothing_to_compact', code, reason);
	if (order.targetTokens === undefined && isJustCompacted(state)) {
		return nothing('just_compacted', 'nothing was appended since the last compaction');
	}
	if (order.targetTokens !== undefined && tokens <= order.targetTokens) {
		return nothing(
			'below_target',
			`the history has ${tokens} tokens, no more than the ${order.targetTokens} asked for`,
		);
	}
	const fits = tokens <= historyBudget(standing.reading.breakdown, standing.budget.available);
	if (state.view.length < fewest && fits) {
		return nothing(
			'too_few_messages',
			`a history of ${state.view.length} ${state.view.length === 1 ? 'message' : 'messages'} has nothing between the first and the newest`,
		);
	}
	return null;
}

/** Who is asked for the summary. */
export function summarizerOf(store: SessionStore): Summarizer | undefined {
	return store.world.settings().summarization.useClient ? store.world.summarizer?.() : undefined;
}

async function run(
	store: SessionStore,
	session: Session,
	order: CompactOrder,
	watcher: Watcher,
): Promise<CompactResult | null> {
	if (session.state.view.length === 0) return null;
	const standing = await standingOf(store, session, { request: order.request });
	const target = targetOf(order, standing, store);
	const refusal = refuse(session, order, standing, target);
	if (refusal) return refusal;
	const warnings = (order.preserve ?? []).flatMap((id) => preserveWarning(session, id));
	watcher.report('planning', 10);
	const result = await compact(store, session, {
		cause: 'compact',
		policy: resolvePolicy({
			settings: store.world.settings(),
			config: order.config,
			instructions: order.instructions,
			contextWindow: standing.budget.contextWindow,
		}),
		target,
		summarizer: summarizerOf(store),
		needed: order.needed,
		recallHint: order.recallHint,
		preserve: order.preserve,
		signal: watcher.signal,
		report: watcher.report,
	});
	return { ...result, ...(warnings.length > 0 && { warnings }) };
}

/** What to say where a message cannot be preserved, since it is hidden. Fails with `MessageNotFound`. */
function preserveWarning({ state }: Session, id: string): string[] {
	const seq = state.index.get(id);
	if (seq === undefined) {
		throw new Failure('MessageNotFound', `preserve: "${id}" is no message of this session`, {
			messageId: id,
		});
	}
	if (isSeenThrough(state, seq, seq + 1)) return [];
	return [`preserve: "${id}" is hidden already, so that it cannot be preserved; context/undo brings it back`];
}

/** One compaction that several callers wait for: it is called off when all of them have called it off. */
interface Shared {
	result: Promise<CompactResult | null>;
	join(signal: AbortSignal): Promise<CompactResult | null>;
}

function share(work: (signal: AbortSignal) => Promise<CompactResult | null>): Shared {
	const controller = new AbortController();
	const result = work(controller.signal);
	let callers = 0;
	const join = (signal: AbortSignal): Promise<CompactResult | null> => {
		callers++;
		return new Promise((resolve, reject) => {
			const leave = (): void => {
				callers--;
				// The last one is told how it ended: what is written already cannot be called off any more.
				if (callers === 0) controller.abort(signal.reason);
				else reject(signal.reason);
			};
			signal.addEventListener('abort', leave, { once: true });
			result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
		});
	};
	return { result, join };
}

/** Compactions of a session that run or wait, by their parameters. */
const running = new WeakMap<Session, Map<string, Shared>>();

/**
 * Compacts a session; null while it has no messages. A call with the parameters of a compaction that is running
 * joins it, one with others waits for it. Cancelled, the session is as it was.
 */
export async function compactSession(
	store: SessionStore,
	session: Session,
	order: CompactOrder,
	watcher: Watcher,
): Promise<CompactResult | null> {
	watcher.signal.throwIfAborted();
	writable(session);
	if (isInLane(session, watcher.signal)) return run(store, session, order, watcher);
	const all = running.get(session) ?? new Map<string, Shared>();
	running.set(session, all);
	const key = JSON.stringify(order);
	const current = all.get(key);
	if (current) return current.join(watcher.signal);
	const { report } = watcher;
	const shared = share((asked) =>
		inLane(session, visitOf(store, { signal: asked, report }), (signal) =>
			run(store, session, order, { signal, report }),
		),
	);
	all.set(key, shared);
	const done = (): void => {
		all.delete(key);
	};
	shared.result.then(done, done);
	return shared.join(watcher.signal);
}
