/** Plans a compaction: runs the stages in order until the history reaches its target. */

import type { StageOutcome } from '../../../protocol/compact.ts';
import { createDraft, type Draft } from '../draft.ts';
import { collectRemovals, createPatches, type PlannedPatch, type Removals } from '../plannedPatches.ts';
import type { PlanInput, Stage } from '../stage.ts';
import { computeReachableTarget, isCrowdedByProtected } from '../target.ts';
import { createClearStage } from './clearSelection.ts';
import { deduplicate, loadPlaceholderOriginals } from './deduplicate.ts';
import { dropImages, dropReasoning } from './dropContent.ts';
import { createGuardWarnings, markGuarded } from './guarded.ts';
import { prune, pruneFallback } from './prune.ts';
import { restoreUnused } from './restoreUnused.ts';
import { createSummaryWarnings } from './slideWindow.ts';
import { summarize } from './summarize.ts';
import { truncate, truncateByForce } from './truncate.ts';
import { computeViewCostFactor } from './viewCostFactor.ts';

export interface Plan {
	patches: PlannedPatch[];
	removed: Removals;
	stages: StageOutcome[];
	/** Tokens above the target that no stage could remove. */
	shortfall: number;
	/** Sentences that the user should see. */
	warnings: string[];
}

/**
 * The stages in order. Superseded reads are removed first, because that loses nothing. Results are pruned next if that
 * alone reaches the target; otherwise they stay whole, and the summary is written from their full text.
 */
const stages: readonly Stage[] = [deduplicate, prune, summarize, pruneFallback, truncate, truncateByForce];

const dropStages = { reasoning: dropReasoning, images: dropImages };

async function runStage(stage: Stage, draft: Draft, input: PlanInput): Promise<StageOutcome> {
	const tokensBefore = Math.round(draft.tokens);
	const before = draft.tokens;
	const { changedItems } = draft;
	const { reason, filesDeduped, failure } = await stage.run(draft, input);
	return {
		stage: stage.name,
		ran: draft.tokens < before,
		reason,
		tokensBefore,
		tokensAfter: Math.round(draft.tokens),
		messagesAffected: draft.changedItems - changedItems,
		filesDeduped,
		failure,
	};
}

/** Merges two runs of one stage. Takes reason and failure from the last run that changed something. */
function mergeOutcomes(first: StageOutcome, second: StageOutcome): StageOutcome {
	const latest = second.ran ? second : first;
	return {
		...latest,
		ran: first.ran || second.ran,
		tokensBefore: first.ran ? first.tokensBefore : latest.tokensBefore,
		tokensAfter: second.ran ? second.tokensAfter : latest.tokensAfter,
		messagesAffected: first.messagesAffected + second.messagesAffected,
	};
}

/** Adds an outcome, merged with an earlier outcome of the same stage. */
function recordOutcome(outcomes: StageOutcome[], outcome: StageOutcome): void {
	const before = outcomes.findIndex(({ stage }) => stage === outcome.stage);
	const [first] = before < 0 ? [] : outcomes.splice(before, 1);
	outcomes.push(first ? mergeOutcomes(first, outcome) : outcome);
}

/** Returns the stages that remove only what the caller selected; undefined if the caller selected nothing. */
function selectStages({ clearings, policy: { contentToDrop } }: PlanInput): readonly Stage[] | undefined {
	if (clearings) return [createClearStage(clearings)];
	return contentToDrop.length > 0 ? contentToDrop.map((content) => dropStages[content]) : undefined;
}

/** Plans a compaction without changing anything. Rejects only if an effect rejects. */
export async function plan(input: PlanInput): Promise<Plan> {
	const { target, effects } = input;
	await effects.pause();
	const draft = await createDraft(input);
	markGuarded(draft, input.policy);
	const costFactor = isCrowdedByProtected(draft, target) ? await computeViewCostFactor(draft, effects) : 1;
	draft.target = computeReachableTarget(draft, target, input.policy, costFactor);
	const outcomes: StageOutcome[] = [];
	const selected = selectStages(input);
	for (const stage of selected ?? stages) {
		await effects.pause();
		if (stage.applies(draft, input)) recordOutcome(outcomes, await runStage(stage, draft, input));
	}
	if (!selected) await restoreUnused(draft, input);
	await loadPlaceholderOriginals(draft, effects);
	await effects.pause();
	const patches = createPatches(draft);
	await effects.pause();
	const removed = await collectRemovals(draft, effects);
	await effects.pause();
	return {
		patches,
		removed,
		stages: outcomes,
		shortfall: Math.max(0, Math.ceil(draft.tokens - target)),
		warnings: [
			...createGuardWarnings(draft),
			...createSummaryWarnings(draft),
			...(input.clearings?.warnings ?? []),
		],
	};
}
