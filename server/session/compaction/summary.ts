/** Who writes the summary of a compaction. */

import type { Effects } from '../../core/compact/draft.ts';
import type { Source } from '../../core/compact/ledger/source.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import { summarySteps } from '../../core/compact/summary/summary.ts';
import { turnPrefixPart } from '../../core/compact/summaryShape.ts';
import { Failure } from '../../core/failure.ts';
import type { Summary } from '../../protocol/compact.ts';
import { askForSummary, type ModelSummaryContext } from './modelSummary.ts';
import type { SourceReader } from './sourceReader.ts';

/** Somebody's model, where it may be asked. */
export interface SummaryModel extends Omit<ModelSummaryContext, 'record' | 'countText'> {
	/** What follows where its answer may not stand: an extract in its place, or a failure. */
	otherwise: 'extract' | 'fail';
}

export interface SummaryDependencies extends Pick<Effects, 'countText' | 'pause'> {
	/** What is said of where the originals can be read. */
	recallHint?: string;
}

/** A turn is told of only where it takes less than this share of the summary. */
const mostOfTurn = 0.15;

/** What is said of a turn that the summary breaks off in, with its tokens; nothing where there is none, or no room. */
function turnPart(
	task: SummaryTask,
	sources: readonly Source[],
	countText: (text: string) => number,
): { text: string; tokens: number } {
	const last = task.rows.at(-1)?.seq;
	if (task.turnPrefix === undefined || last === undefined) return { text: '', tokens: 0 };
	const text = turnPrefixPart(sources, task.turnPrefix, last);
	const tokens = countText(text) + 2;
	return tokens <= task.tokens * mostOfTurn ? { text, tokens } : { text: '', tokens: 0 };
}

/**
 * A summary by the model where its answer may stand, else out of the messages' own words. Fails with
 * `SummarizerFailed` where the model's alone was wanted.
 */
export async function writeSummary(
	task: SummaryTask,
	sourceReader: SourceReader,
	{ countText, pause, recallHint }: SummaryDependencies,
	model?: SummaryModel,
): Promise<Summary> {
	const sources = await sourceReader.sources(task.rows);
	const visible = await sourceReader.sources(task.visible);
	const turn = turnPart(task, [...sources, ...visible], countText);
	const extract = async (budgetTokens: number): Promise<string> => {
		const steps = summarySteps(sourceReader.ledger, sources, {
			budgetTokens: budgetTokens - turn.tokens,
			count: countText,
			visible,
			instructions: task.instructions,
			recallHint,
			headings: task.headings,
			targetTokens: task.targetTokens,
			found: sourceReader.found,
		});
		let step = steps.next();
		for (; !step.done; step = steps.next()) await pause();
		const { text } = step.value;
		if (text === '') return text;
		return turn.text === '' ? text : `${text}\n\n${turn.text}`;
	};
	if (!model) return { text: await extract(task.tokens), by: 'extract', attempts: [] };
	const { text, by, attempts } = await askForSummary(task, sources, { ...model, countText, record: extract });
	if (text !== undefined) return { text, by, attempts };
	if (model.otherwise === 'fail') {
		throw new Failure('SummarizerFailed', `${by} gave no summary: ${attempts.at(-1)?.error}`);
	}
	return { text: await extract(task.tokens), by: 'extract', attempts };
}
