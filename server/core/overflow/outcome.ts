/** Classifies the outcome of a model call: an error, or a response whose usage shows an overflow. */

import type { Usage } from '../../protocol/conversation.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import { sumPromptTokens } from '../meter/meter.ts';
import { type Fields, isFields } from '../shape.ts';
import { asFields, firstNumber } from '../values.ts';
import { classifyError } from './classify.ts';

/** What the caller knows in addition to the error. */
export interface OutcomeContext {
	/** The model's window in tokens; needed to detect most silent overflows. */
	contextWindow?: number;
	/** Usage that the provider reported for the call; not needed if the error is a response with its usage. */
	usage?: Usage;
}

/**
 * Returns the class of an error. A call that seemed to succeed is an overflow too if its usage shows that the prompt did
 * not fit. A response may be passed as the error.
 */
export function classifyOutcome(error: unknown, { contextWindow, usage }: OutcomeContext): ErrorClass {
	const errorClass = classifyError(error, contextWindow);
	if (errorClass.isContextOverflow) return errorClass;
	const call = { ...readResponse(error), ...(usage && { usage }) };
	if (!isSilentOverflow({ ...call, contextWindow: contextWindow ?? 0 })) return errorClass;
	return {
		...errorClass,
		isContextOverflow: true,
		retryable: false,
		...(call.usage && { actualTokens: sumPromptTokens(call.usage) }),
	};
}

/** Returns an object, or the first object of a list; else an empty object. */
function toFields(value: unknown): Fields {
	return asFields(Array.isArray(value) ? value[0] : value);
}

function readTokens(fields: Fields, ...names: string[]): number | undefined {
	return firstNumber(...names.map((name) => fields[name]));
}

/** Reads the usage in a response of any provider; undefined if there is none. */
function readResponseUsage(response: Fields): Usage | undefined {
	const usage = toFields(response.usage ?? response.usageMetadata);
	const input = readTokens(usage, 'input', 'input_tokens', 'prompt_tokens', 'promptTokenCount');
	if (input === undefined) return undefined;
	return {
		input,
		output: readTokens(usage, 'output', 'output_tokens', 'completion_tokens', 'candidatesTokenCount') ?? 0,
		cacheRead: readTokens(usage, 'cacheRead', 'cache_read_input_tokens') ?? 0,
		cacheWrite: readTokens(usage, 'cacheWrite', 'cache_creation_input_tokens') ?? 0,
	};
}

function readStopReason(response: Fields): string | undefined {
	const choice = toFields(response.choices ?? response.candidates);
	const reasons = [
		response.stopReason,
		response.stop_reason,
		response.finish_reason,
		choice.finish_reason,
		choice.finishReason,
		toFields(response.incomplete_details).reason,
	];
	return reasons.find((reason): reason is string => typeof reason === 'string');
}

/**
 * Reads usage and stop reason of a provider's response, for clients that pass a response instead of an error.
 * Knows the neutral names and the names of common APIs. Undefined if the value is not a response.
 */
function readResponse(response: unknown): { usage?: Usage; stopReason?: string } | undefined {
	if (!isFields(response)) return undefined;
	const usage = readResponseUsage(response);
	const stopReason = readStopReason(response);
	if (!usage && stopReason === undefined) return undefined;
	return { ...(usage && { usage }), ...(stopReason !== undefined && { stopReason }) };
}

/** Share of the window from which an empty answer counts as cut off by the window. */
const minFullShare = 0.99;

const lengthReasons = new Set(['length', 'max_tokens', 'max_output_tokens', 'incomplete']);

/**
 * Whether the prompt of a call that "succeeded" did not fit: the input exceeds the window (tokens), the stop reason says
 * so, or there is no output although the window is at least 99% full.
 */
export function isSilentOverflow(call: {
	usage?: Usage;
	stopReason?: string;
	contextWindow: number;
}): boolean {
	const reason = call.stopReason?.toLowerCase();
	if (reason === 'model_context_window_exceeded') return true;
	if (!call.usage || call.contextWindow <= 0) return false;
	const promptTokens = sumPromptTokens(call.usage);
	if (promptTokens > call.contextWindow) return true;
	return (
		reason !== undefined &&
		lengthReasons.has(reason) &&
		call.usage.output === 0 &&
		promptTokens >= minFullShare * call.contextWindow
	);
}
