/** A summary written by somebody's model, with the record that code keeps under it. */

import type { Source } from '../../core/compact/ledger/source.ts';
import { refusalOf, withRecord } from '../../core/compact/model/accept.ts';
import { summaryPrompt } from '../../core/compact/model/prompt.ts';
import type { SummaryTask } from '../../core/compact/stage.ts';
import { errorText } from '../../core/failure.ts';
import type { SummaryAttempt } from '../../protocol/compact.ts';
import type { Summarizer } from '../ports.ts';
import { withDeadline } from './deadline.ts';

export interface ModelSummaryContext {
	sessionId: string;
	summarizer: Summarizer;
	signal: AbortSignal;
	/** Milliseconds since the epoch. */
	now(): number;
	countText(text: string): number;
	/** What code keeps of the messages, in at most so many tokens. */
	record(tokens: number): Promise<string>;
}

export interface ModelSummary {
	/** Absent where the model's answer was refused, or none came. */
	text?: string;
	by: string;
	attempts: SummaryAttempt[];
}

/** Share of the summary's room that the model's own words may take; the record has the rest. */
const proseShare = 0.5;

/** The model may write no more than this, however much room there is. Tokens. */
const mostProse = 6000;

/** What the model is given to read at most. Tokens. */
const mostInput = 120_000;

/**
 * Asks for a summary once. Never rejects but where the compaction was cancelled: what went wrong stands in the
 * attempts, and the extract then stands in its place.
 */
export async function askForSummary(
	task: SummaryTask,
	sources: readonly Source[],
	context: ModelSummaryContext,
): Promise<ModelSummary> {
	const { summarizer, signal, countText } = context;
	const prose = Math.min(mostProse, Math.floor(task.tokens * proseShare));
	const request = summaryPrompt(sources, {
		maxTokens: prose,
		inputTokens: mostInput,
		count: countText,
		instructions: task.instructions,
		headings: task.headings,
		endsInTurn: task.turnPrefix !== undefined,
	});
	const started = context.now();
	const attempt = (model: string, error?: string): SummaryAttempt => ({
		model,
		ok: error === undefined,
		...(error !== undefined && { error }),
		ms: context.now() - started,
	});
	try {
		// Some models answer late or never, whatever they are told.
		const answer = await withDeadline(summarizer.timeoutMs, signal, (patience) =>
			summarizer.ask({ ...request, sessionId: context.sessionId }, patience),
		);
		const by = answer.model ?? summarizer.name;
		const text = answer.text.trim();
		const tokens = countText(text);
		const refusal = refusalOf(answer, tokens, prose, task.headings);
		if (refusal !== null) return { by, attempts: [attempt(by, refusal)] };
		const done = attempt(by);
		const record = await context.record(task.tokens - tokens - 40);
		return { text: withRecord(text, record), by, attempts: [done] };
	} catch (error) {
		signal.throwIfAborted();
		return {
			by: summarizer.name,
			attempts: [attempt(summarizer.name, errorText(error))],
		};
	}
}
