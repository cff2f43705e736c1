/** What became of a call, by its error or by what came in place of one. */

import type { Usage } from '../../protocol/conversation.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import { promptTokens } from '../meter/meter.ts';
import { type Fields, isFields } from '../shape.ts';
import { classifyError } from './classify.ts';

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

function fieldsOf(value: unknown): Fields {
	if (Array.isArray(value)) return fieldsOf(value[0]);
	return isFields(value) ? value : {};
}

function tokensIn(fields: Fields, ...names: string[]): number | undefined {
	const value = names
		.map((name) => fields[name])
		.find((one) => typeof one === 'number' && Number.isFinite(one));
	return typeof value === 'number' ? value : undefined;
}

/** The figures of a usage in the shape of any provider; cached input is added where it is counted apart. */
function usageIn(response: Fields): Usage | undefined {
	const usage = fieldsOf(response.usage ?? response.usageMetadata);
	const input = tokensIn(usage, 'input', 'input_tokens', 'prompt_tokens', 'promptTokenCount');
	if (input === undefined) return undefined;
	return {
		input,
		output: tokensIn(usage, 'output', 'output_tokens', 'completion_tokens', 'candidatesTokenCount') ?? 0,
		cacheRead: tokensIn(usage, 'cacheRead', 'cache_read_input_tokens') ?? 0,
		cacheWrite: tokensIn(usage, 'cacheWrite', 'cache_creation_input_tokens') ?? 0,
	};
}

function stopReasonIn(response: Fields): string | undefined {
	const choice = fieldsOf(response.choices ?? response.candidates);
	const reasons = [
		response.stopReason,
		response.stop_reason,
		response.finish_reason,
		choice.finish_reason,
		choice.finishReason,
		fieldsOf(response.incomplete_details).reason,
	];
	return reasons.find((reason): reason is string => typeof reason === 'string');
}

/**
 * What a provider's response says of its call, for a client that hands one in where it expects an error; the
 * neutral names and those of the well-known APIs are understood. Undefined where it is no response.
 */
function callOf(response: unknown): { usage?: Usage; stopReason?: string } | undefined {
	if (!isFields(response)) return undefined;
	const usage = usageIn(response);
	const stopReason = stopReasonIn(response);
	if (!usage && stopReason === undefined) return undefined;
	return { ...(usage && { usage }), ...(stopReason !== undefined && { stopReason }) };
}

/** How full a window must be for an answer without a word to count as cut off by it. */
const full = 0.99;

const outOfLength = new Set(['length', 'max_tokens', 'max_output_tokens', 'incomplete']);

/**
 * Whether a call that "succeeded" did not fit: its input beyond the window (tokens), a stop reason that says so,
 * or no output at all for want of room in a window at least 99% full.
 */
export function isSilentOverflow(call: {
	usage?: Usage;
	stopReason?: string;
	contextWindow: number;
}): boolean {
	const reason = call.stopReason?.toLowerCase();
	if (reason === 'model_context_window_exceeded') return true;
	if (!call.usage || call.contextWindow <= 0) return false;
	const sent = promptTokens(call.usage);
	if (sent > call.contextWindow) return true;
	return (
		reason !== undefined &&
		outOfLength.has(reason) &&
		call.usage.output === 0 &&
		sent >= full * call.contextWindow
	);
}
