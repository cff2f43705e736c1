/** Checking whether a provider accepts a history. */

import type { Repairs } from './compact.ts';
import type { FormatName } from './conversation.ts';
import type { RequestDeclaration } from './declaration.ts';
import { declareRequest } from './declare.ts';
import { readingErrors } from './errors.ts';

export interface ValidateParams {
	/** Id of the session to check instead of `messages`: its history as it would be sent now. */
	sessionId?: string;
	/** The messages to check, in `format`; they are not repaired before. */
	messages?: unknown[];
	/** The provider whose rules apply; by default the session's own. */
	provider?: string;
	/** The model's id; by default the session's own. */
	model?: string;
	/** Format of the messages; by default the named provider's format, or `contextd` without a provider. */
	format?: FormatName;
}

/** A violation of a rule by a message. */
export interface ValidationProblem {
	/** Index of the message, from 0. */
	index: number;
	/** Name of the rule. */
	rule: string;
	/** What is wrong, for people. */
	message: string;
}

export interface ValidateResult {
	/** Whether there are no problems: equal to `problems.length === 0`. */
	valid: boolean;
	/** The violations, in the order of the messages. */
	problems: ValidationProblem[];
	/** The format whose rules were applied. */
	format: FormatName;
	/** For a session: what had to be completed so that a provider accepts the history. */
	repairs?: Repairs;
}

/** Checks whether a provider accepts a history, by the rules that `context/history` uses. */
export const contextValidate: RequestDeclaration<ValidateParams, ValidateResult, 'context/validate'> =
	declareRequest('context/validate', readingErrors);
