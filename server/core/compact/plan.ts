/**
 * The plan of a compaction: stages one after the other, each from the originals and each taking only what is
 * still needed, until the history is down to its target.
 *
 * Superseded reads go first, since they cost nothing. Then results are pruned, if that alone reaches the target;
 * where it does not, they stay whole so that the summary is made from what they really say.
 */

import type { StageOutcome } from '../../protocol/compact.ts';
import type { StageName } from '../../protocol/compaction.ts';
import type { Protection } from '../history/protection.ts';
import type { Row, Unit } from '../history/row.ts';
import type { Meter } from '../meter/meter.ts';
import { deduplicate, duplicatesOf } from './deduplicate.ts';
import { type Draft, type Effects, type Item, startDraft } from './draft.ts';
import { cuttable, emergencyCut } from './emergency.ts';
import { type PlannedPatch, patchesOf, type Removal, removalsOf } from './planned.ts';
import type { Policy } from './policy.ts';
import { type BestLines, prunable, prune, pruneSaving } from './prune.ts';
import { slideWindow } from './slideWindow.ts';
import { mostOfTail, type Summarize, summarizable, summarize } from './summarize.ts';

export interface PlanInput {
	view: readonly Unit[];
	rows: readonly Row[];
	meter: Meter;
	protection: Protection;
	policy: Policy;
	/** Tokens that the history should come down to, on the meter's scale. */
	target: number;
	/** The original rows that a visible summary or marker stands for. */
	behind: (unit: Unit) => readonly Row[];
	/** Ids for the messages that the plan may make. */
	ids: { summary: string; marker: string };
	effects: Effects;
	/** Makes the judgement of best lines ready; called before the first of them is asked for. */
	weigh(): Promise<void>;
	bestLines: BestLines;
	summarize: Summarize;
}

export interface Plan {
	patches: PlannedPatch[];
	removed: Removal[];
	stages: StageOutcome[];
	/** Tokens above the target that nothing could take away. */
	shortfall: number;
}

/** Where protected messages take more than this share of the target, they are said to leave no room beside them. */
const crowded = 0.5;

/**
 * Where protected messages leave no room, all the rest still gets this share of the history, in tokens at most
 * `most`; of a small history at least `least`, but no more than a quarter of what is not protected.
 */
const leastRoom = { share: 0.15, most: 1150, least: 400, ofRest: 0.25 };

/** Tokens that a summary needs to say anything: with less room there is none, and the history stays larger. */
const barest = 160;

/** A tail that takes more than this share of the room beside protected messages crowds the summary out. */
const tightTail = 0.85;

/** A history of more notes than this, each where a result was, tells a model less than a summary. */
const mostNotes = 2000;

type Run = () => Promise<{ reason?: string; filesDeduped?: number }>;

function touchedItems(draft: Draft): number {
	let count = 0;
	for (const item of draft.items) if (item.shown || item.hidden) count++;
	return count;
}

async function runStage(
	draft: Draft,
	stage: StageName,
	stages: StageOutcome[],
	effects: Effects,
	run: Run,
): Promise<void> {
	await effects.pause();
	const before = draft.tokens;
	const touched = touchedItems(draft);
	const { reason, filesDeduped } = await run();
	const affected = touchedItems(draft) - touched;
	const outcome: StageOutcome = {
		stage,
		ran: draft.tokens < before,
		...(reason !== undefined && { reason }),
		tokensBefore: Math.round(before),
		tokensAfter: Math.round(draft.tokens),
		messagesAffected: affected,
		...(filesDeduped !== undefined && { filesDeduped }),
	};
	// A stage that was put off is told of once, where it ran.
	const putOff = stages.findIndex((one) => one.stage === stage);
	if (putOff >= 0) stages.splice(putOff, 1);
	stages.push(outcome);
}

/** Why a stage has nothing to do: the history is down to its target, or to what protected messages leave of one. */
function reached(draft: Draft, { target }: PlanInput): { reason: string } {
	const over = Math.ceil(draft.tokens - target);
	if (over <= 0) return { reason: 'the target is reached' };
	const kept = Math.round(draft.protectedTokens);
	return { reason: `protected messages take ${kept} tokens: the history stays ${over} above its target` };
}

const disabled = { reason: 'disabled' };

async function deduplicateStage(draft: Draft, input: PlanInput) {
	if (!input.policy.stages.deduplicate) return disabled;
	if (draft.tokens <= draft.target) return { ...reached(draft, input), filesDeduped: 0 };
	const duplicates = await duplicatesOf(draft.items, input.effects);
	if (duplicates.length === 0) return { reason: 'no read is superseded by a later one', filesDeduped: 0 };
	return { filesDeduped: await deduplicate(draft, duplicates, input.effects) };
}

async function pruneStage(draft: Draft, input: PlanInput) {
	const { policy } = input;
	if (!policy.stages.prune) return disabled;
	if (draft.tokens <= draft.target) return reached(draft, input);
	const items = prunable(draft, policy, policy.protectTokens);
	if (items.length === 0) return { reason: 'no tool result may be pruned' };
	await input.effects.pause();
	const saving = Math.floor(pruneSaving(draft, items));
	const reaches = draft.tokens - saving <= draft.target;
	if (policy.stages.summarize) {
		if (!reaches) {
			return { reason: 'it would not reach the target; a summary is made from the whole results' };
		}
		if (items.length > mostNotes) {
			return { reason: `${items.length} notes would be left; a summary says more in less room` };
		}
	}
	if (!reaches && saving < policy.minimumSavings) {
		return { reason: `it would save ${saving} tokens, less than ${policy.minimumSavings}` };
	}
	await pruneItems(draft, items, input);
	return {};
}

async function pruneItems(draft: Draft, items: readonly Item[], input: PlanInput): Promise<void> {
	if (items.length === 0) return;
	await input.weigh();
	await prune(draft, items, input.effects, input.bestLines);
}

/** Prunes after all what was left whole for a summary that was not made. */
async function pruneAfterAll(draft: Draft, input: PlanInput) {
	await pruneItems(draft, prunable(draft, input.policy, input.policy.protectTokens), input);
	return {};
}

function mayCut(policy: Policy): boolean {
	return policy.stages.truncate && policy.emergencyCut !== 'never';
}

/** Shortens the results of a tail that would leave no room for a summary, and at last its largest messages. */
async function makeRoom(draft: Draft, range: readonly Item[], input: PlanInput): Promise<void> {
	const inRange = new Set(range);
	const rest = draft.items.reduce((sum, item) => sum + (inRange.has(item) ? 0 : item.tokens), 0);
	const allowed = draft.protectedTokens + mostOfTail(draft);
	if (rest <= allowed) return;
	const items = prunable(draft, input.policy, 0).filter((item) => !inRange.has(item));
	const { target } = draft;
	draft.target = draft.tokens - (rest - allowed);
	await pruneItems(draft, items, input);
	const tail = draft.items.filter((item) => !inRange.has(item));
	const left = tail.reduce((sum, item) => sum + item.tokens, 0);
	const isTight = left > draft.protectedTokens + tightTail * (target - draft.protectedTokens);
	if (isTight && mayCut(input.policy)) await emergencyCut(draft, cuttable(tail), input.effects);
	draft.target = target;
}

async function summarizeStage(draft: Draft, input: PlanInput) {
	const { policy, effects } = input;
	if (!policy.stages.summarize) return disabled;
	if (draft.tokens <= draft.target) return reached(draft, input);
	const range = await summarizable(draft, policy, effects);
	if (range.length === 0) return { reason: 'nothing older than what is kept' };
	await effects.pause();
	if (policy.stages.prune) await makeRoom(draft, range, input);
	await effects.pause();
	const done = await summarize(
		draft,
		range,
		policy,
		effects,
		input.behind,
		input.ids.summary,
		input.summarize,
	);
	return done ? {} : { reason: 'no summary would be smaller than what it replaces' };
}

async function truncateStage(draft: Draft, input: PlanInput) {
	if (!input.policy.stages.truncate) return disabled;
	if (draft.tokens <= draft.target) return reached(draft, input);
	const slid = slideWindow(draft, input.policy, input.effects, input.ids.marker);
	const { policy, effects } = input;
	const cut = mayCut(policy) ? await emergencyCut(draft, cuttable(draft.items), effects) : 0;
	return slid || cut > 0 ? {} : { reason: 'only protected messages are left' };
}

/**
 * Where the request would fail anyway: cuts the user messages that may be cut, and where that is not enough lets the
 * newest messages go too. Whether anything was taken.
 */
async function giveUpMore(draft: Draft, input: PlanInput): Promise<boolean> {
	const { policy, effects } = input;
	const mayGiveUp = policy.stages.truncate && policy.cutUserMessages !== 'never';
	if (!mayGiveUp || draft.tokens <= draft.target) return false;
	const givenUp = input.protection.cuttable;
	const users = draft.items.filter((item) => item.protected && givenUp.has(item.unit.from));
	const cut = await emergencyCut(draft, [...cuttable(draft.items), ...users], effects);
	return slideWindow(draft, { ...policy, recentCount: 0 }, effects, input.ids.marker) || cut > 0;
}

/**
 * What to come down to. Protected messages may leave no room for anything beside them: then the target can hardly
 * be met anyway, and a few words on all the rest are worth more than a slightly smaller shortfall. Not where the
 * request would fail: there the target holds.
 */
function reachable(draft: Draft, input: PlanInput): number {
	if (input.policy.cutUserMessages !== 'never') return input.target;
	const rest = draft.tokens - draft.protectedTokens;
	if (draft.protectedTokens <= crowded * input.target) {
		return Math.max(input.target, draft.protectedTokens + Math.min(barest, leastRoom.ofRest * rest));
	}
	const small = Math.min(leastRoom.least, leastRoom.ofRest * rest);
	const room = Math.min(leastRoom.most, Math.max(small, leastRoom.share * draft.tokens));
	return Math.max(input.target, draft.protectedTokens + room);
}

/** Plans a compaction; changes nothing. Rejects only where the effects do. */
export async function plan(input: PlanInput): Promise<Plan> {
	const { view, rows, meter, protection, target, effects } = input;
	await effects.pause();
	const draft = await startDraft(view, rows, meter, protection, target, effects.pause);
	draft.target = reachable(draft, input);
	const stages: StageOutcome[] = [];
	await runStage(draft, 'deduplicate', stages, input.effects, () => deduplicateStage(draft, input));
	await runStage(draft, 'prune', stages, input.effects, () => pruneStage(draft, input));
	await runStage(draft, 'summarize', stages, input.effects, () => summarizeStage(draft, input));
	const hasPruned = stages.some(({ stage, ran }) => stage === 'prune' && ran);
	const mayPrune = input.policy.stages.prune && !hasPruned && !draft.standIns.summarize;
	const isPutOff = mayPrune && draft.tokens > draft.target;
	if (isPutOff) await runStage(draft, 'prune', stages, input.effects, () => pruneAfterAll(draft, input));
	await runStage(draft, 'truncate', stages, input.effects, async () => {
		const outcome = await truncateStage(draft, input);
		return (await giveUpMore(draft, input)) ? {} : outcome;
	});
	await input.effects.pause();
	const patches = patchesOf(draft);
	await input.effects.pause();
	return {
		patches,
		removed: removalsOf(draft),
		stages,
		shortfall: Math.max(0, Math.ceil(draft.tokens - input.target)),
	};
}
