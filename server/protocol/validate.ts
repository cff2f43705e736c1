import type { FormatName } from './conversation.ts';
import { request } from './message.ts';

export interface ValidateParams {
	/** The session whose history is checked as it would go out now; or else `messages`. */
	sessionId?: string;
	/** Messages in `format`, checked as they are. */
	messages?: unknown[];
	/** Whose rules hold; the session's own provider where it is absent. */
	provider?: string;
	model?: string;
	/** Absent: what the named provider speaks, and the `contextd` format where none is named. */
	format?: FormatName;
}

export interface ValidateResult {
	valid: boolean;
	/** Where a rule is broken: the index of the message, the rule's name, and what is wrong in words. */
	problems: { index: number; rule: string; message: string }[];
	/** Whose rules were applied. */
	format: FormatName;
	/** Of a session: what had to be put right so that its history could go out. */
	repairs?: { orphanedCallsFixed: number; orphanedResultsFixed: number };
}

/** Whether a provider takes a history, by the rules that `context/history` renders by. */
export const contextValidate = request<ValidateParams, ValidateResult>('context/validate');
