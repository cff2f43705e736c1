/** Counting tokens, and fitting a text into a budget. */

import type { ChatMessage, EstimatorName, ModelRequest } from './conversation.ts';
import type { RequestDeclaration } from './declaration.ts';
import { declareRequest } from './declare.ts';
import type { Breakdown } from './stats.ts';

export interface CountParams {
	/** A text to count. */
	text?: string;
	/** Whether the text is source code: the heuristic estimator counts 3 characters per token, not 4. */
	isCode?: boolean;
	/** Messages in the `contextd` format to count; the heuristic estimator adds 24 tokens in total. */
	messages?: ChatMessage[];
	/** Further parts of a model request to count, such as the system prompt. */
	request?: ModelRequest;
	/** The provider whose rules apply; by default derived from the model's name. */
	provider?: string;
	/** The model whose window is used. */
	model?: string;
	/** How to count tokens; by default the configured estimator. */
	estimator?: EstimatorName;
}

export interface CountResult {
	/** Tokens of everything that was counted: the sum of `breakdown`. */
	tokens: number;
	/** Tokens of each part of the request; the text and the messages count as history. */
	breakdown: Breakdown;
	/** Tokens of the model's window that are available for the input. */
	availableInputTokens: number;
	/** Equal to `tokens / availableInputTokens`. */
	usageRatio: number;
	/**
	 * Equal to `tokens <= availableInputTokens`.
	 * @deprecated Use `tokens` and `availableInputTokens`.
	 */
	withinBudget: boolean;
	/** Whether a history of this size would be compacted. */
	shouldCompact: boolean;
}

/** Counts tokens without a session. */
export const contextCount: RequestDeclaration<CountParams, CountResult, 'context/count'> = declareRequest(
	'context/count',
	[],
);

export interface TruncateToTokenBudgetParams {
	/** The text to truncate. */
	text: string;
	/** Maximum tokens of the returned text, including the "..." after a truncated text. */
	tokens: number;
	/** The provider whose rules apply; by default derived from the model's name. */
	provider?: string;
	/** The model whose tokens are counted. */
	model?: string;
	/** How to count tokens; by default the configured estimator. */
	estimator?: EstimatorName;
}

export interface TruncateToTokenBudgetResult {
	/** The text, or its beginning followed by "...". */
	text: string;
	/** Tokens of the returned text, never above the budget. */
	tokens: number;
	/** Whether anything was removed. */
	truncated: boolean;
}

/** Truncates a text to a number of tokens: at the end of a sentence, otherwise of a word. */
export const contextTruncateToTokenBudget: RequestDeclaration<
	TruncateToTokenBudgetParams,
	TruncateToTokenBudgetResult,
	'context/truncateToTokenBudget'
> = declareRequest('context/truncateToTokenBudget', []);
