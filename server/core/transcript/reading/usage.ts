import type { Usage } from '../../../protocol/conversation.ts';
import { fieldsOf, firstNumber } from './values.ts';

/** Tokens beyond which a figure is none: no request comes near. */
const mostTokens = 1e9;

/** Figures whose `input` leaves the cached tokens out already (Anthropic, pi, OpenCode, Cline). */
export function usageWithoutCache(
	input: unknown,
	output: unknown,
	read: unknown,
	write: unknown,
): Usage | undefined {
	const figures = [input, output, read, write].map((value) => firstNumber(value));
	if (figures[0] === undefined && figures[1] === undefined) return undefined;
	if (figures.some((figure) => figure !== undefined && figure > mostTokens)) return undefined;
	const [plain, written, cacheRead, cacheWrite] = figures.map((value) => Math.max(0, value ?? 0));
	return {
		input: plain ?? 0,
		output: written ?? 0,
		...(figures[2] !== undefined && { cacheRead }),
		...(figures[3] !== undefined && { cacheWrite }),
	};
}

/** Figures whose `input` holds the cached tokens too (OpenAI, Gemini). */
export function usageWithCache(input: unknown, output: unknown, read: unknown): Usage | undefined {
	const whole = firstNumber(input);
	if (whole === undefined) return undefined;
	const cached = Math.min(Math.max(0, firstNumber(read) ?? 0), whole);
	return usageWithoutCache(whole - cached, output, cached, 0);
}

/** The `usage` of an Anthropic message. */
export function anthropicUsage(value: unknown): Usage | undefined {
	const usage = fieldsOf(value);
	const figures = usageWithoutCache(
		usage.input_tokens,
		usage.output_tokens,
		usage.cache_read_input_tokens,
		usage.cache_creation_input_tokens,
	);
	const forHour = firstNumber(fieldsOf(usage.cache_creation).ephemeral_1h_input_tokens) ?? 0;
	const isOfWrites = forHour > 0 && forHour <= (figures?.cacheWrite ?? 0);
	return figures && isOfWrites ? { ...figures, cacheWriteForHour: forHour } : figures;
}

/** The `usage` of an OpenAI Chat Completions answer. */
export function openAiUsage(value: unknown): Usage | undefined {
	const usage = fieldsOf(value);
	const details = fieldsOf(usage.prompt_tokens_details);
	return usageWithCache(usage.prompt_tokens, usage.completion_tokens, details.cached_tokens);
}
