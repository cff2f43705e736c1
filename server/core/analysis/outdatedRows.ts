/** Finds rows of JSON results that a later result replaced. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { getOrInsert } from '../getOrInsert.ts';
import { hasShellCommand, isReadOnly } from './commands.ts';
import type { Outcomes } from './outcomes.ts';
import type { DataRow, Source } from './source.ts';

/** A row with the call that returned it. */
interface ReturnedRow {
	row: DataRow;
	call: ToolCall;
}

/**
 * Returns the lines of rows that a later row replaced. Two rows describe the same object if they have the same id
 * and share most columns, unless they come from two different queries. O(rows).
 */
export function findOutdatedRows(sources: readonly Source[], { byResult }: Outcomes): Set<string> {
	const newestByKey = new Map<string, ReturnedRow[]>();
	const outdatedLines = new Set<string>();
	for (const source of sources) {
		const { call, failed = true } = (source.rows && byResult.get(source)) ?? {};
		if (!source.rows || !call || failed) continue;
		for (const row of source.rows) {
			if (row.id === undefined) continue;
			const rows = getOrInsert(newestByKey, [row.parent, row.idName, row.id].join(' '), () => []);
			const earlierIndex = rows.findLastIndex((one) => isSameObject(one, { row, call }));
			const [earlier] = earlierIndex < 0 ? [] : rows.splice(earlierIndex, 1);
			for (const line of earlier?.row.lines ?? []) outdatedLines.add(line);
			for (const line of row.lines) outdatedLines.delete(line);
			rows.push({ row, call });
		}
	}
	return outdatedLines;
}

function isSameObject(earlier: ReturnedRow, later: ReturnedRow): boolean {
	const isOtherQuery =
		isQuery(earlier.call) &&
		isQuery(later.call) &&
		JSON.stringify(earlier.call.args) !== JSON.stringify(later.call.args);
	const names = Object.keys(later.row.fields);
	const sharedCount = names.filter((name) => Object.hasOwn(earlier.row.fields, name)).length;
	return !isOtherQuery && 2 * sharedCount > Math.max(names.length, Object.keys(earlier.row.fields).length);
}

/** Whether a call only returns existing data. Commands count as queries. */
function isQuery(call: ToolCall): boolean {
	return isReadOnly(call) || hasShellCommand(call);
}
