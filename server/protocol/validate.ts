/** Whether a provider takes a history. */

import type { Repairs } from './compact.ts';
import type { FormatName } from './conversation.ts';
import type { RequestDeclaration } from './declaration.ts';
import { readingErrors } from './errors.ts';

export interface ValidateParams {
	/** The session whose history is checked as it would go out now; or else `messages`. */
	sessionId?: string;
	/** Messages in `format`, checked as they are. */
	messages?: unknown[];
	/** Whose rules hold; the session's own provider where it is absent. */
	provider?: string;
	/** The session's where absent. */
	model?: string;
	/** Absent: what the named provider speaks, and the `contextd` format where none is named. */
	format?: FormatName;
}

/** A place where a rule is broken. */
export interface ValidationProblem {
	/** Of the message, from 0. */
	index: number;
	/** The rule's name. */
	rule: string;
	/** What is wrong, in words. */
	message: string;
}

export interface ValidateResult {
	/** There are no problems. */
	valid: boolean;
	/** In the order of the messages. */
	problems: ValidationProblem[];
	/** Whose rules were applied. */
	format: FormatName;
	/** Of a session: what had to be put right so that its history could go out. */
	repairs?: Repairs;
}

/** Whether a provider takes a history, by the rules that `context/history` renders by. */
export const contextValidate: RequestDeclaration<ValidateParams, ValidateResult, 'context/validate'> = {
	kind: 'request',
	method: 'context/validate',
	direction: 'to the daemon',
	since: '0.1.0',
	errors: readingErrors,
};
