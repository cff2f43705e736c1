/** `context/compact`: runs the compaction that a call's parameters describe, one at a time per session. */

import { type Chain, resolveChain } from '../../core/ask/chain.ts';
import { resolvePolicy, selectContentToDrop } from '../../core/compact/policy.ts';
import { computeHistoryBudget } from '../../core/cost/target.ts';
import { Failure } from '../../core/failure.ts';
import { formatCount, formatPercent } from '../../core/figures.ts';
import type { Seq } from '../../core/history/record.ts';
import type { Unit } from '../../core/history/row.ts';
import { createMessageNotFound, requireSeq, type State } from '../../core/history/state.ts';
import { areAllShownInPlace } from '../../core/history/unitLookup.ts';
import { weighRow } from '../../core/meter/reading.ts';
import { computeUsageRatio } from '../../core/models/budget.ts';
import type { SlicedTask } from '../../core/slices.ts';
import type {
	CompactParams,
	CompactResult,
	MessageRange,
	NoCompactionReason,
} from '../../protocol/compact.ts';
import type { ClientContext } from '../clientContext.ts';
import { type ContextUsage, readContextUsage } from '../contextUsage.ts';
import { type MutexTicket, startSharedTask } from '../order.ts';
import type { PrefetchedSummary } from '../prefetchedSummary.ts';
import { runInSlices } from '../services.ts';
import { requireWritableJournal, type Session } from '../session.ts';
import { checkSelection } from '../sources/selectClearings.ts';
import { isJustCompacted } from '../stats.ts';
import { runCompaction } from './compact.ts';
import { createUnchangedResult } from './receipt.ts';
import { defaultRemovalShare, minMessages } from './tuning.ts';

export interface CompactOptions
	extends Pick<
		CompactParams,
		'config' | 'instructions' | 'preserve' | 'targetTokens' | 'threshold' | 'range' | 'free' | 'request'
	> {
	/** A sentence in the summary that says where its originals can be read; by default it names `context/original`. */
	recallHint?: string;
}

/** The client of a call that may take long, with the call's cancellation and progress. */
export interface TaskContext {
	client: ClientContext;
	signal: AbortSignal;
	report(step: string, percentage: number): void;
}

/** Creates the ticket with which a call queues among the compactions of a session. */
export function createMutexTicket({ signal, report }: Pick<TaskContext, 'signal' | 'report'>): MutexTicket {
	return { signal, onWait: () => report('waiting for another compaction', 0) };
}

/** Settings that also let the newest messages of a range be removed. */
const wholeRangeConfig: CompactParams['config'] = {
	recentCount: 0,
	pruneProtectTokens: 0,
	pruneMinimumSavings: 0,
};

/** Whether a call removes exactly what it selects, so that it has no target size. */
function hasNoTarget({ config, free }: CompactOptions): boolean {
	return free !== undefined || selectContentToDrop(config).length > 0;
}

/**
 * Returns the target size of the history, in tokens: the requested size; for a range, the history minus a share of the
 * range; otherwise the default, or a share of the history if it is already below the default.
 */
function computeTargetTokens(
	options: CompactOptions,
	{ meterReading, targets }: ContextUsage,
	rangeTokens: number | undefined,
): number {
	const { conversationHistory: tokens } = meterReading.breakdown;
	const fraction = options.config?.truncationFraction ?? defaultRemovalShare;
	if (hasNoTarget(options)) return tokens;
	if (options.targetTokens !== undefined) return options.targetTokens;
	if (rangeTokens !== undefined) return Math.floor(tokens - fraction * rangeTokens);
	return tokens > targets.requested ? targets.requested : Math.floor(tokens * (1 - fraction));
}

/** Returns the tokens of the visible messages in a range. O(visible). */
function countRangeTokens({ state: { view, meter } }: Session, { from, to }: RowRange): number {
	const unitsInRange = view.filter((unit) => unit.from >= from && unit.to <= to);
	return unitsInRange.reduce((sum, { row }) => sum + weighRow(meter, row), 0);
}

/** Returns the result of a call for which no compaction is tried, with the reason; null if one should be tried. */
function findRefusal(
	session: Session,
	options: CompactOptions,
	contextUsage: ContextUsage,
	target: number,
): SlicedTask<CompactResult> | null {
	const { state } = session;
	const { breakdown, tokens: totalTokens } = contextUsage.meterReading;
	const tokens = breakdown.conversationHistory;
	const createUnchanged = (reasonCode: NoCompactionReason, reason: string): SlicedTask<CompactResult> =>
		createUnchangedResult(state, target, { outcome: 'nothing_to_compact', reasonCode, reason });
	const ratio = computeUsageRatio(totalTokens, contextUsage.budget.available);
	if (options.threshold !== undefined && ratio < options.threshold) {
		const reason = `${formatPercent(ratio)} of what is available is used, less than the threshold of ${formatPercent(options.threshold)}`;
		return createUnchanged('below_target', reason);
	}
	if (hasNoTarget(options)) return null;
	const isPlain = options.targetTokens === undefined && options.range === undefined && !options.instructions;
	if (isPlain && isJustCompacted(state))
		return createUnchanged('just_compacted', 'nothing was appended since the last compaction');
	if (options.targetTokens !== undefined && tokens <= options.targetTokens) {
		return createUnchanged(
			'below_target',
			`the history has ${tokens} tokens, which is within the requested ${options.targetTokens}`,
		);
	}
	const isWithinBudget = tokens <= computeHistoryBudget(breakdown, contextUsage.budget.available);
	if (state.view.length < minMessages && isWithinBudget) {
		return createUnchanged(
			'too_few_messages',
			`with ${formatCount(state.view.length, 'message')} there is nothing between the first and the newest`,
		);
	}
	return null;
}

/** Returns the models that a client's settings name for the summary. */
export function resolveClientChain(client: ClientContext, config: CompactParams['config'] = {}): Chain {
	return resolveChain(client.getSettings().summarization, config, client.hasModel());
}

/** Returns the prefetched summary, if it was requested for this client. */
export function findPrefetched({ prefetch }: Session, client: ClientContext): PrefetchedSummary | undefined {
	return prefetch.client === client ? prefetch.summary : undefined;
}

/** Returns the prefetched summary, unless the call's parameters require another summary. */
function findUsablePrefetch(
	session: Session,
	client: ClientContext,
	options: CompactOptions,
): PrefetchedSummary | undefined {
	const { instructions, range, recallHint, config = {} } = options;
	const { summarizationProvider, summarizationModel } = config;
	const differingOption = instructions ?? range ?? recallHint ?? summarizationProvider ?? summarizationModel;
	return differingOption === undefined ? findPrefetched(session, client) : undefined;
}

async function runRequest(
	session: Session,
	options: CompactOptions,
	context: TaskContext,
): Promise<CompactResult | null> {
	if (session.state.view.length === 0) return null;
	const { client } = context;
	const { provider } = options.config ?? {};
	const contextUsage = await readContextUsage(session, client, {
		request: options.request,
		...(provider !== undefined && { provider }),
	});
	const scale = await computeCountRatio(session, client, contextUsage);
	const range = options.range && resolveRange(session.state, options.range);
	const rangeTokens = range && countRangeTokens(session, range) * scale;
	const target = computeTargetTokens(options, contextUsage, rangeTokens) / scale;
	const refusal = findRefusal(session, options, contextUsage, target);
	if (refusal) {
		const unchangedResult = await runInSlices(refusal, session.services);
		return { ...scaleResult(unchangedResult, scale), ...(range && { range: range.ids }) };
	}
	const chain = resolveClientChain(client, options.config);
	const warnings = [
		...chain.warnings,
		...(range?.warnings ?? []),
		...(options.preserve ?? []).flatMap((id) => warnAboutHiddenMessage(session, id)),
	];
	context.report('planning', 10);
	const result = await runCompaction(session, {
		client,
		cause: 'compact',
		policy: resolvePolicy({
			settings: contextUsage.settings,
			config: range ? { ...wholeRangeConfig, ...options.config } : options.config,
			instructions: options.instructions,
			contextWindow: contextUsage.budget.contextWindow,
		}),
		targetTokens: target,
		range,
		chain,
		prefetched: findUsablePrefetch(session, client, options),
		recallHint: options.recallHint,
		preserve: options.preserve,
		free: options.free,
		signal: context.signal,
		report: context.report,
	});
	const allWarnings = [...warnings, ...(result.warnings ?? [])];
	return {
		...scaleResult(result, scale),
		...(range && { range: range.ids }),
		...(allWarnings.length > 0 && { warnings: allWarnings }),
	};
}

/** Warns if a message is hidden and thus cannot be preserved. Throws `MessageNotFound`. */
function warnAboutHiddenMessage({ state }: Session, id: string): string[] {
	const seq = requireSeq(state, id, 'preserve');
	if (areAllShownInPlace(state, seq, seq + 1)) return [];
	return [`preserve: "${id}" is already hidden and cannot be preserved; context/undo brings it back`];
}

/**
 * Compacts a session; null if the session has no messages.
 *
 * If the same client already runs a compaction with equal parameters, the call shares its result; otherwise the call
 * waits for running compactions. If cancelled, the session is unchanged.
 */
export async function compactSession(
	session: Session,
	options: CompactOptions,
	context: TaskContext,
): Promise<CompactResult | null> {
	context.signal.throwIfAborted();
	checkSelection(options);
	requireWritableJournal(session);
	const { runningCompactions } = session;
	const key = JSON.stringify([context.client.id, options]);
	const current = runningCompactions.get(key);
	if (current) return current.join(context.signal);
	const { client, report } = context;
	const sharedTask = startSharedTask((sharedSignal) =>
		session.compactionMutex.run(createMutexTicket({ signal: sharedSignal, report }), (signal) =>
			runRequest(session, options, { client, signal, report }),
		),
	);
	runningCompactions.set(key, sharedTask);
	const removeTask = (): void => {
		runningCompactions.delete(key);
	};
	sharedTask.result.then(removeTask, removeTask);
	return sharedTask.join(context.signal);
}

/** Returns the ratio of another model's token count to the session's; 1 for the session's own model. */
async function computeCountRatio(
	session: Session,
	client: ClientContext,
	callerUsage: ContextUsage,
): Promise<number> {
	const { provider, model } = session.state.info;
	if (callerUsage.provider === provider && callerUsage.model === model) return 1;
	const sessionUsage = await readContextUsage(session, client);
	const [theirs, ours] = [callerUsage, sessionUsage].map(
		({ meterReading }) => meterReading.breakdown.conversationHistory,
	);
	return theirs && ours ? theirs / ours : 1;
}

/** Converts the tokens of a result from the session's count to another model's. */
function scaleResult(result: CompactResult, scale: number): CompactResult {
	if (scale === 1) return result;
	const rescale = (tokens: number): number => Math.round(tokens * scale);
	const tokensBefore = rescale(result.tokensBefore);
	const tokensAfter = rescale(result.tokensAfter);
	return {
		...result,
		tokensBefore,
		tokensAfter,
		tokensSaved: tokensBefore - tokensAfter,
		targetTokens: rescale(result.targetTokens),
		stages: result.stages.map((stage) => ({
			...stage,
			tokensBefore: rescale(stage.tokensBefore),
			tokensAfter: rescale(stage.tokensAfter),
		})),
		removed: result.removed.map((one) => ({ ...one, tokens: rescale(one.tokens) })),
		cache: {
			...result.cache,
			rewrittenTokens: rescale(result.cache.rewrittenTokens),
			costTokens: rescale(result.cache.costTokens),
		},
	};
}

/** A range of visible messages: the rows from `from` up to, but not including, `to`. */
interface RowRange {
	from: Seq;
	to: Seq;
	/** The range as message ids. */
	ids: MessageRange;
	warnings: string[];
}

function findPosition({ view, index }: State, id: string, param: string): number {
	const position = view.findIndex((unit) => unit.row.id === id);
	if (position >= 0) return position;
	if (!index.has(id)) throw createMessageNotFound(id, param);
	const message = `${param}: "${id}" is hidden; context/undo brings it back`;
	throw new Failure('MessageNotFound', message, { messageId: id });
}

/** Whether two neighbours must stay together because they belong to the same calls and results. */
function areInOneBatch(before: Unit | undefined, after: Unit | undefined): boolean {
	if (!before || !after) return false;
	const isCreated = [before, after].some(({ row }) => row.made === 'summary' || row.made === 'marker');
	return !isCreated && before.row.batch === after.row.batch;
}

/**
 * Returns the rows of a range of visible messages, widened so that calls and their results stay together.
 *
 * Throws `MessageNotFound` if an end is not visible, and `InvalidParams` if the range ends before it begins.
 */
function resolveRange(state: State, range: MessageRange): RowRange {
	const { view } = state;
	const firstIndex = findPosition(state, range.from, 'range.from');
	const lastIndex = findPosition(state, range.to, 'range.to');
	if (firstIndex > lastIndex) {
		throw new Failure(
			'InvalidParams',
			`range: expected "from" to come before "to", but "${range.from}" comes after "${range.to}"`,
		);
	}
	let start = firstIndex;
	while (areInOneBatch(view[start - 1], view[start])) start--;
	let end = lastIndex;
	while (areInOneBatch(view[end], view[end + 1])) end++;
	const ids = { from: view[start]?.row.id ?? range.from, to: view[end]?.row.id ?? range.to };
	const isWider = start < firstIndex || end > lastIndex;
	return {
		from: view[start]?.from ?? 0,
		to: view[end]?.to ?? 0,
		ids,
		warnings: isWider
			? [`range: widened to "${ids.from}" to "${ids.to}", since calls and their results stay together`]
			: [],
	};
}
