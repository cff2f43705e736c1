/** Compacts a session: plans on a snapshot and applies the plan to the current state. */

import type { MessageAnalyses } from '../../core/analysis/message/analyses.ts';
import { createPlaceholderIds } from '../../core/compact/placeholders.ts';
import { plan } from '../../core/compact/plan/plan.ts';
import { requiresReasoningBlock } from '../../core/compact/plan/summarize.ts';
import type { Thinking } from '../../core/compact/stage.ts';
import { computeProtection, type Protection } from '../../core/history/protection.ts';
import type { Seq } from '../../core/history/record.ts';
import type { Row, Unit } from '../../core/history/row.ts';
import { findReplacedRows } from '../../core/history/view.ts';
import { weighRow } from '../../core/meter/reading.ts';
import { findPluginAgent } from '../../core/transcript/index.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import { runWithSessionCache } from '../analysisCache.ts';
import { readRowMessages } from '../bodies.ts';
import type { ClientContext } from '../clientContext.ts';
import { type Session, selectMeasure } from '../session.ts';
import { findClearings } from '../sources/selectClearings.ts';
import { type ApplyOptions, applyPlan } from './applyPlan.ts';
import type { Proposal } from './receipt.ts';
import { createSourceReader, locateFirstAnswer } from './sourceReader.ts';
import { createSummarizer, type SummarizerOptions } from './summary.ts';
import { maxPlanAttempts } from './tuning.ts';

export interface CompactionOptions extends SummarizerOptions, ApplyOptions {
	preserve?: readonly string[];
	/** Limits the compaction to these rows. */
	range?: { from: Seq; to: Seq };
}

/** Compacts a session that has messages. If cancelled, the session is unchanged. */
export async function runCompaction(session: Session, options: CompactionOptions): Promise<CompactResult> {
	const { state } = session;
	for (let attempt = 1; ; attempt++) {
		const proposal = await runWithSessionCache(session.analysisCache, (analyses) =>
			planCompaction(session, options, analyses),
		);
		options.signal.throwIfAborted();
		if (state.version !== proposal.base.version) proposal.protection = resolveProtection(session, options);
		const result = await applyPlan(session, options, proposal, attempt < maxPlanAttempts);
		if (result) return result;
	}
}

/**
 * Asks the models for the summary that a compaction would need, without changing anything.
 *
 * Asks no model if the compaction would need no summary. Fails with `SummarizerFailed` if no answer is usable.
 */
export async function requestSummary(
	session: Session,
	options: CompactionOptions & Required<Pick<CompactionOptions, 'onAnswer'>>,
): Promise<void> {
	await runWithSessionCache(session.analysisCache, (analyses) =>
		planCompaction(session, { ...options, isModelRequired: true }, analyses),
	);
}

/** Plans a compaction on a snapshot of the session, and changes nothing. */
async function planCompaction(
	session: Session,
	options: CompactionOptions,
	analyses: MessageAnalyses,
): Promise<Proposal> {
	const { services, state } = session;
	const { version, measure } = state;
	const { range, policy, free } = options;
	const id = services.createId();
	const isWithin = ({ from, to }: Unit): boolean => !range || (from >= range.from && to <= range.to);
	const view = range ? state.view.filter(isWithin) : [...state.view];
	const unitsBeyond = range ? state.view.filter((unit) => !isWithin(unit)) : [];
	const tokensBeyond = unitsBeyond.reduce((sum, { row }) => sum + weighRow(state.meter, row), 0);
	const pause = async (): Promise<void> => {
		options.signal.throwIfAborted();
		await services.pause();
		options.signal.throwIfAborted();
	};
	const read = async (rows: readonly Row[]) =>
		(await readRowMessages(session, rows)).map(({ message }) => message);
	const { countText, countMessage } = selectMeasure(session);
	const effects = { read, pause, countText, countMessage };
	locateFirstAnswer(analyses, state.rows);
	const sourceReader = createSourceReader(effects, analyses);
	const summarizer = createSummarizer(session, options, sourceReader, effects);
	const protection = resolveProtection(session, options);
	const rules = { view, protection, protectedTools: policy.protectedTools };
	const clearings = free && (await findClearings(session, free, rules));
	const newPlan = await plan({
		view,
		rows: state.rows,
		withoutAttachments: session.analysisCache.withoutAttachments,
		meter: state.meter,
		protection,
		policy,
		...(clearings && { clearings }),
		target: Math.max(0, options.targetTokens - tokensBeyond),
		summarizedTo: options.prefetched && (options.prefetched.describedSeqs.at(-1) ?? -1) + 1,
		listHidden: (unit) => findReplacedRows(state, unit.row.id) ?? [],
		ids: createPlaceholderIds(id),
		effects,
		prepareResults: sourceReader.prepareResults,
		bestLines: sourceReader.bestLines,
		describeKnownEnd: sourceReader.describeKnownEnd,
		...resolveThinking(session, options.client),
		summarize: summarizer.summarize,
	});
	await pause();
	return { id, plan: newPlan, protection, written: summarizer.written, base: { version, measure } };
}

function resolveProtection(session: Session, options: CompactionOptions): Protection {
	const { cutUserMessages } = options.policy;
	const keepsRunningCalls = findPluginAgent(session.id) !== undefined;
	return computeProtection(session.state, { preserve: options.preserve, keepsRunningCalls, cutUserMessages });
}

/** Returns the reasoning to put before a summary, if the session's model requires reasoning. */
function resolveThinking({ services, state }: Session, client: ClientContext): { thinking?: Thinking } {
	if (!requiresReasoningBlock(state.info.model)) return {};
	const { thinkingPrefix: prefix, includeTimestamp } = client.getSettings().summarization;
	return { thinking: { prefix, ...(includeTimestamp && { at: services.now() }) } };
}
