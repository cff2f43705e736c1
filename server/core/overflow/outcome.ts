/** What became of a call, by its error or by what came in place of one. */

import type { Usage } from '../../protocol/conversation.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import { promptTokens } from '../meter/meter.ts';
import { classifyError } from './classify.ts';
import { callOf } from './response.ts';
import { isSilentOverflow } from './silent.ts';

/** What the caller knows beside the error. */
export interface OutcomeContext {
	/** Tokens of the model's window; a silent overflow can hardly be told without. */
	contextWindow?: number;
	/** What the provider reported for the call, where the error is no response that holds it. */
	usage?: Usage;
}

/**
 * The class of an error; a call that seemed to succeed while its own figures, or those of a response handed in for an
 * error, tell that it did not fit is an overflow too.
 */
export function classifyOutcome(error: unknown, { contextWindow, usage }: OutcomeContext): ErrorClass {
	const found = classifyError(error, { contextWindow });
	if (found.isContextOverflow) return found;
	const call = { ...callOf(error), ...(usage && { usage }) };
	if (!isSilentOverflow({ ...call, contextWindow: contextWindow ?? 0 })) return found;
	return {
		...found,
		isContextOverflow: true,
		retryable: false,
		...(call.usage && { actualTokens: promptTokens(call.usage) }),
	};
}
