/** Plans a compaction: runs the stages in order until the history is down to its target. */

import type { StageOutcome } from '../../../protocol/compact.ts';
import type { Draft } from '../draft.ts';
import { type PlannedPatch, patchesOf, type Removals, removalsOf } from '../planned.ts';
import type { PlanInput, Stage } from '../stage.ts';
import { startDraft } from '../startDraft.ts';
import { isCrowded, reachable } from '../target.ts';
import { deduplicate, readNoted } from './deduplicate.ts';
import { dropImages, dropReasoning } from './dropContent.ts';
import { giveBack } from './giveBack.ts';
import { guardResults, guardWarnings } from './guarded.ts';
import { priceOfView } from './priceOfView.ts';
import { prune, pruneAfterAll } from './prune.ts';
import { summaryWarnings } from './slideWindow.ts';
import { summarize } from './summarize.ts';
import { giveUp, truncate } from './truncate.ts';

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
 * Superseded reads go first, since removing them loses nothing. Results are pruned next if that alone reaches the
 * target; otherwise they stay whole, so that the summary is made from their full text.
 */
const stages: readonly Stage[] = [deduplicate, prune, summarize, pruneAfterAll, truncate, giveUp];

const dropping = { reasoning: dropReasoning, images: dropImages };

async function outcomeOf(stage: Stage, draft: Draft, input: PlanInput): Promise<StageOutcome> {
	const tokensBefore = Math.round(draft.tokens);
	const before = draft.tokens;
	const { touched } = draft;
	const { reason, filesDeduped, failure } = await stage.run(draft, input);
	return {
		stage: stage.name,
		ran: draft.tokens < before,
		...(reason !== undefined && { reason }),
		tokensBefore,
		tokensAfter: Math.round(draft.tokens),
		messagesAffected: draft.touched - touched,
		...(filesDeduped !== undefined && { filesDeduped }),
		...(failure && { failure }),
	};
}

/** Merges two runs of one stage. The run that changed something gives the reason and failure. */
function merged(first: StageOutcome, second: StageOutcome): StageOutcome {
	const told = second.ran ? second : first;
	return {
		...told,
		ran: first.ran || second.ran,
		tokensBefore: first.ran ? first.tokensBefore : told.tokensBefore,
		tokensAfter: second.ran ? second.tokensAfter : told.tokensAfter,
		messagesAffected: first.messagesAffected + second.messagesAffected,
	};
}

/** Adds an outcome, merged with an earlier one of the same stage. */
function tell(outcomes: StageOutcome[], outcome: StageOutcome): void {
	const before = outcomes.findIndex(({ stage }) => stage === outcome.stage);
	const [first] = before < 0 ? [] : outcomes.splice(before, 1);
	outcomes.push(first ? merged(first, outcome) : outcome);
}

/** Plans a compaction without changing anything. Rejects only if `effects` do. */
export async function plan(input: PlanInput): Promise<Plan> {
	const { target, effects } = input;
	await effects.pause();
	const draft = await startDraft(input);
	guardResults(draft, input.policy);
	const price = isCrowded(draft, target) ? await priceOfView(draft, effects) : 1;
	draft.target = reachable(draft, target, input.policy, price);
	const outcomes: StageOutcome[] = [];
	const { drops } = input.policy;
	for (const stage of drops.length > 0 ? drops.map((content) => dropping[content]) : stages) {
		await effects.pause();
		if (stage.applies(draft, input)) tell(outcomes, await outcomeOf(stage, draft, input));
	}
	if (drops.length === 0) await giveBack(draft, input);
	await readNoted(draft, effects);
	await effects.pause();
	const patches = patchesOf(draft);
	await effects.pause();
	const removed = await removalsOf(draft, effects);
	await effects.pause();
	return {
		patches,
		removed,
		stages: outcomes,
		shortfall: Math.max(0, Math.ceil(draft.tokens - target)),
		warnings: [...guardWarnings(draft), ...summaryWarnings(draft)],
	};
}
