/** What is told of a compaction out of its record, where whoever is told did not see it happen. */

import { errorText } from '../../core/failure.ts';
import { repairsNeeded } from '../../core/history/pairs.ts';
import type { Step } from '../../core/history/state.ts';
import { isFields } from '../../core/shape.ts';
import type { CompactResult } from '../../protocol/compact.ts';
import { takeRecorded } from '../operation.ts';
import type { StoredRecord } from '../ports.ts';
import type { Session } from '../session.ts';
import { inSlices } from '../slices.ts';
import { removedMessages } from '../timeline.ts';
import { cacheCostOf, type KeptAnswer } from './receipt.ts';

/** The answer of the compaction that the write under way came to when it was asked for before, if it did. */
export async function takeRecordedResult(session: Session): Promise<CompactResult | undefined> {
	const answer = takeRecorded(session, 'step')?.answer as KeptAnswer | undefined;
	if (!answer) return undefined;
	const { state, world } = session;
	const step = state.steps.find(({ id }) => id === answer.compactionId);
	const repairs = await inSlices(repairsNeeded([...state.view]), world);
	return { ...answer, removed: answer.removed ?? (step ? await removedBy(session, step) : []), repairs };
}

/** Tells of a compaction that another process did, as soon as its record was read. */
export function tellOfStep(session: Session, { value: record }: StoredRecord): void {
	const { world, state, id } = session;
	if (!isFields(record) || record.t !== 'step') return;
	const step = state.steps.at(-1);
	if (!step || step.mirrored || (step.cause !== 'compact' && step.cause !== 'recover')) return;
	resultOfStep(session, step).then(
		(result) => world.events.compacted(id, result),
		(error) =>
			world.log.warn(`the compaction ${step.id} of "${id}" could not be told of: ${errorText(error)}`),
	);
}

/** What a compaction did, told by the step that it took, right after that was taken. */
async function resultOfStep(session: Session, step: Step): Promise<CompactResult> {
	const { id, receipt, sheet } = step;
	const view = [...session.state.view];
	const { tokensBefore = 0, tokensAfter = 0, stagesUsed = [], targetTokens = tokensAfter } = receipt ?? {};
	const first = view.findIndex((unit) => unit.sheet === sheet?.no);
	const prefix = first < 0 ? view.length : first;
	const tokensSaved = tokensBefore - tokensAfter;
	const removed = await removedBy(session, step);
	const repairs = await inSlices(repairsNeeded(view), session.world);
	return {
		outcome: 'compacted',
		compacted: true,
		compactionId: id,
		stagesUsed,
		tokensBefore,
		tokensAfter,
		tokensSaved,
		targetTokens,
		stages: stagesUsed.map((stage) => {
			const affected = removed.filter((one) => one.stage === stage);
			return { stage, ran: true, tokensBefore, tokensAfter, messagesAffected: affected.length };
		}),
		removed,
		repairs,
		stablePrefixMessages: prefix,
		cache: receipt?.cache ?? cacheCostOf({ ...session.state, view }, prefix, tokensSaved),
	};
}

function removedBy({ state, world }: Session, { receipt }: Step): Promise<CompactResult['removed']> {
	return inSlices(removedMessages(state.rows, receipt?.removed ?? []), world);
}
