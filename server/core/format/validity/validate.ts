import type { FormatName } from '../../../protocol/conversation.ts';
import type { ValidationProblem } from '../../../protocol/validate.ts';
import { canonicalizeProvider } from '../../models/provider.ts';
import type { SlicedTask } from '../../slices.ts';
import { detectOpenAiDialect } from '../openai/parts.ts';
import { aiSdkRules } from './aiSdk.ts';
import { geminiRules } from './gemini.ts';
import { neurolinkRules, neutralRules } from './neutral.ts';
import { deepseekRules, mistralRules, openaiRules } from './openai.ts';
import { responsesRules } from './responses.ts';
import type { FormatRule } from './rule.ts';
import { anthropicRules, bedrockRules } from './turns.ts';

/** Reader of the messages: a format, or a provider with additional rules. */
export type MessageReader = FormatName | 'mistral' | 'deepseek';

export interface ValidationOutcome {
	valid: boolean;
	problems: ValidationProblem[];
}

const rulesByReader: Record<MessageReader, readonly FormatRule[]> = {
	contextd: neutralRules,
	anthropic: anthropicRules,
	openai: openaiRules,
	mistral: mistralRules,
	deepseek: deepseekRules,
	'openai-responses': responsesRules,
	gemini: geminiRules,
	neurolink: neurolinkRules,
	bedrock: bedrockRules,
	'ai-sdk': aiSdkRules,
};

/** Checks whether a reader accepts messages in its wire format, and returns all problems. In slices. */
export function* validateMessages(
	messages: readonly unknown[],
	reader: MessageReader,
): SlicedTask<ValidationOutcome> {
	const problems: ValidationProblem[] = [];
	for (const rule of rulesByReader[reader])
		yield* rule.check(messages, (index, message) => problems.push({ index, rule: rule.name, message }));
	return { valid: problems.length === 0, problems };
}

const providerFormats: ReadonlyMap<string, FormatName> = new Map([
	['anthropic', 'anthropic'],
	['google-ai', 'gemini'],
	['vertex', 'gemini'],
	['neurolink', 'neurolink'],
	['bedrock', 'bedrock'],
	['ai-sdk', 'ai-sdk'],
]);

/** Returns the format of a provider's API. Providers that are not listed offer Chat Completions. */
export function findProviderFormat(provider: string): FormatName {
	return providerFormats.get(canonicalizeProvider(provider)) ?? 'openai';
}

/** Returns the reader whose rules apply to messages of a format for a provider. */
export function findReader(
	format: FormatName,
	options: { provider?: string; model?: string },
): MessageReader {
	return format === 'openai' ? detectOpenAiDialect(options) : format;
}
