/** Describes how a session filled its window, and what its compactions removed. */

import type { RemovedRows } from '../core/history/record.ts';
import type { Row } from '../core/history/row.ts';
import { computeUsageRatio } from '../core/models/budget.ts';
import { pickDefined } from '../core/shape.ts';
import { itemsPerSlice, mapInSlices, type SlicedTask } from '../core/slices.ts';
import type { RemovedMessage } from '../protocol/compaction.ts';
import type { TimelineResult } from '../protocol/stats.ts';
import type { ClientContext } from './clientContext.ts';
import { readContextUsage } from './contextUsage.ts';
import { runInSlices } from './services.ts';
import type { Session } from './session.ts';
import { listCompactions } from './stats.ts';

/** Returns the usage after each answer, and what each compaction removed, both oldest first. Runs in slices. */
export async function describeTimeline(session: Session, client: ClientContext): Promise<TimelineResult> {
	const { budget } = await readContextUsage(session, client);
	const { state, services } = session;
	const receipts = new Map(state.steps.map(({ id, receipt }) => [id, receipt]));
	const compactions = listCompactions(state);
	const { rows } = state;
	const loggedCompactions: TimelineResult['compactions'] = [];
	const points = await runInSlices(
		mapInSlices([...state.usagePoints], (point) => ({
			...point,
			usageRatio: computeUsageRatio(point.tokens, budget.available),
		})),
		services,
	);
	for (const compaction of compactions) {
		const groups = receipts.get(compaction.compactionId)?.removed ?? [];
		loggedCompactions.push({
			...compaction,
			removed: await runInSlices(listRemovedMessages(rows, groups), services),
		});
	}
	return { points, compactions: loggedCompactions };
}

/** Lists the messages that a compaction removed, in the order of the history. In slices. */
export function* listRemovedMessages(
	rows: readonly Row[],
	groups: readonly RemovedRows[],
): SlicedTask<RemovedMessage[]> {
	const total = groups.reduce((sum, { seqs }) => sum + seqs.length, 0);
	// Each key encodes the row, then the index in `entries`, because numbers sort natively.
	const keys = new Float64Array(total);
	const entries: { group: number; index: number }[] = [];
	for (const [group, { seqs }] of groups.entries()) {
		for (const [index, seq] of seqs.entries()) {
			keys[entries.length] = seq * total + entries.length;
			entries.push({ group, index });
			if (entries.length % itemsPerSlice === 0) yield;
		}
	}
	keys.sort();
	const removedMessages: RemovedMessage[] = [];
	for (const [position, key] of keys.entries()) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		const row = rows[Math.floor(key / total)];
		const entry = entries[key % total];
		const group = entry && groups[entry.group];
		if (!row || !group) continue;
		const { stage, change, reason } = group;
		const { id: messageId, role, tool: toolName } = row;
		const tokens = group.tokens[entry.index] ?? 0;
		removedMessages.push({
			stage,
			change,
			tokens,
			messageId,
			role,
			...pickDefined({ toolName, reason }),
		});
	}
	return removedMessages;
}
