/** Who writes the summary of a compaction. */

import { extractSummary } from '../core/compact/ledger/summary.ts';
import type { CompactResult } from '../core/compact/result.ts';
import type { SummaryTask } from '../core/compact/summarize.ts';
import type { Material } from './material.ts';
import { askForSummary, type ModelSummaryContext } from './modelSummary.ts';

export type Summary = NonNullable<CompactResult['summary']>;

/** Somebody's model, where it may be asked. */
export type SummaryModel = Omit<ModelSummaryContext, 'record' | 'countText'>;

/** A summary by the model where its answer may stand, else out of the messages' own words. */
export async function writeSummary(
	task: SummaryTask,
	material: Material,
	countText: (text: string) => number,
	model?: SummaryModel,
): Promise<Summary> {
	const sources = await material.sources(task.rows);
	const visible = await material.sources(task.visible);
	const extract = (budgetTokens: number): string =>
		extractSummary(material.ledger, sources, {
			budgetTokens,
			count: countText,
			visible,
			instructions: task.instructions,
		}).text;
	if (!model) return { text: extract(task.tokens), by: 'extract', attempts: [] };
	const { text, by, attempts } = await askForSummary(task, sources, { ...model, countText, record: extract });
	return text === undefined
		? { text: extract(task.tokens), by: 'extract', attempts }
		: { text, by, attempts };
}
