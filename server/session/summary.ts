/** Who writes the summary of a compaction. */

import { extractSummary } from '../core/compact/ledger/summary.ts';
import type { CompactResult } from '../core/compact/result.ts';
import type { SummaryTask } from '../core/compact/summarize.ts';
import type { Material } from './material.ts';

export type Summary = NonNullable<CompactResult['summary']>;

/** The summary out of the messages' own words. */
export async function writeSummary(
	task: SummaryTask,
	material: Material,
	countText: (text: string) => number,
): Promise<Summary> {
	const sources = await material.sources(task.rows);
	const visible = await material.sources(task.visible);
	const { text } = extractSummary(material.ledger, sources, {
		budgetTokens: task.tokens,
		count: countText,
		visible,
		instructions: task.instructions,
	});
	return { text, by: 'extract', attempts: [] };
}
