/** Who writes the summary of a compaction. */

import type { Effects } from '../../core/compact/draft.ts';
import type { Source } from '../../core/compact/ledger/source.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import { summarySteps } from '../../core/compact/summary/summary.ts';
import { turnPrefixPart } from '../../core/compact/summaryShape.ts';
import { asMetadata } from '../../core/compactedItems.ts';
import { Failure } from '../../core/failure.ts';
import type { StageFailure, Summary, SummaryAttempt } from '../../protocol/compact.ts';
import { askForSummary, type ModelSummaryContext } from './modelSummary.ts';
import type { SourceReader } from './sourceReader.ts';
import { mostOfTurn } from './tuning.ts';

/** Those who may be asked, and what follows where none of their answers may stand. */
export interface SummaryModels
	extends Omit<ModelSummaryContext, 'record' | 'countText' | 'read' | 'visible'> {
	/** An extract in its place, no summary at all, or a failure of the compaction. */
	otherwise: 'extract' | 'nothing' | 'fail';
}

export interface SummaryDependencies extends Pick<Effects, 'countText' | 'pause' | 'read'> {
	/** What is said of where the originals can be read. */
	recallHint?: string;
}

/** A summary, or why there is none. */
export interface WrittenSummary extends Summary {
	failure?: StageFailure;
	/** What its message carries beside the text. */
	metadata?: Record<string, unknown>;
	/** What the user should know of it. */
	warnings?: string[];
}

/** What is said of a turn that the summary breaks off in, with its tokens; nothing where there is none, or no room. */
function turnPart(
	task: SummaryTask,
	lists: readonly (readonly Source[])[],
	countText: (text: string) => number,
): { text: string; tokens: number } {
	const last = task.rows.at(-1)?.seq;
	if (task.turnPrefix === undefined || last === undefined) return { text: '', tokens: 0 };
	const text = turnPrefixPart(lists, task.turnPrefix, last);
	const tokens = countText(text) + 2;
	return tokens <= task.tokens * mostOfTurn ? { text, tokens } : { text: '', tokens: 0 };
}

/** What is told where everybody who was asked failed. */
function allFailed(attempts: readonly SummaryAttempt[], tokensBefore: number): StageFailure {
	const told = attempts.map(({ model, error }) => `${model}: ${error}`).join('; ');
	return {
		code: 'ALL_MODELS_FAILED',
		message: told === '' ? 'nobody could be asked' : told,
		retryable: attempts.some(({ failure }) => failure?.retryable),
		tokensBefore,
	};
}

/**
 * A summary by a model where its answer may stand, else out of the messages' own words, if these may stand in. Fails
 * with `SummarizerFailed` where a model's alone was wanted.
 */
export async function writeSummary(
	task: SummaryTask,
	sourceReader: SourceReader,
	{ countText, pause, read, recallHint }: SummaryDependencies,
	models?: SummaryModels,
): Promise<WrittenSummary> {
	const sources = await sourceReader.originals(task.rows);
	const visible = await (task.isVisibleAppended
		? sourceReader.originals(task.visible)
		: sourceReader.sources(task.visible));
	const turn = turnPart(task, [sources, visible], countText);
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
	if (!models) return { text: await extract(task.tokens), by: 'extract', attempts: [] };
	const asked = await askForSummary(task, sources, { ...models, countText, read, visible, record: extract });
	const { text, compacted, by, attempts, warnings } = asked;
	if (text !== undefined) {
		return { text, by, attempts, warnings, ...(compacted && { metadata: asMetadata(compacted) }) };
	}
	if (models.otherwise === 'fail') {
		throw new Failure('SummarizerFailed', `${by} gave no summary: ${attempts.at(-1)?.error}`);
	}
	if (models.otherwise === 'extract') return { text: await extract(task.tokens), by: 'extract', attempts };
	return { text: '', by: 'none', attempts, failure: allFailed(attempts, task.replacedTokens) };
}
