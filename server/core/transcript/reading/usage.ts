import type { Usage } from '../../../protocol/conversation.ts';
import { maxFigureTokens } from '../../format/contextd.ts';
import { asFields, firstNumber } from '../../values.ts';

/** Returns the usage from figures whose `input` excludes cached tokens (Anthropic, pi, OpenCode, Cline). */
export function readUsageExcludingCache(
	input: unknown,
	output: unknown,
	read: unknown,
	write: unknown,
): Usage | undefined {
	const figures = [input, output, read, write].map((value) => firstNumber(value));
	if (figures[0] === undefined && figures[1] === undefined) return undefined;
	if (figures.some((figure) => figure !== undefined && figure > maxFigureTokens)) return undefined;
	const [uncachedTokens, outputTokens, cacheRead, cacheWrite] = figures.map((value) =>
		Math.max(0, value ?? 0),
	);
	return {
		input: uncachedTokens ?? 0,
		output: outputTokens ?? 0,
		...(figures[2] !== undefined && { cacheRead }),
		...(figures[3] !== undefined && { cacheWrite }),
	};
}

/** Returns the usage from figures whose `input` includes cached tokens (OpenAI, Gemini). */
export function readUsageWithReads(input: unknown, output: unknown, read: unknown): Usage | undefined {
	const inputTokens = firstNumber(input);
	if (inputTokens === undefined) return undefined;
	const cachedTokens = Math.min(Math.max(0, firstNumber(read) ?? 0), inputTokens);
	return readUsageExcludingCache(inputTokens - cachedTokens, output, cachedTokens, 0);
}

/** Returns the usage from figures with the neutral names, which pi also uses. */
export function readNeutralUsage(value: unknown): Usage | undefined {
	const usage = asFields(value);
	return readUsageExcludingCache(usage.input, usage.output, usage.cacheRead, usage.cacheWrite);
}

/** Returns the usage from the `usage` of an Anthropic message. */
export function readAnthropicUsage(value: unknown): Usage | undefined {
	const usage = asFields(value);
	const figures = readUsageExcludingCache(
		usage.input_tokens,
		usage.output_tokens,
		usage.cache_read_input_tokens,
		usage.cache_creation_input_tokens,
	);
	const forHour = firstNumber(asFields(usage.cache_creation).ephemeral_1h_input_tokens) ?? 0;
	const isOfWrites = forHour > 0 && forHour <= (figures?.cacheWrite ?? 0);
	return figures && isOfWrites ? { ...figures, cacheWriteForHour: forHour } : figures;
}

/** Returns the usage from the `usage` of an OpenAI Chat Completions answer. */
export function readOpenAiUsage(value: unknown): Usage | undefined {
	const usage = asFields(value);
	const details = asFields(usage.prompt_tokens_details);
	return readUsageWithReads(usage.prompt_tokens, usage.completion_tokens, details.cached_tokens);
}
