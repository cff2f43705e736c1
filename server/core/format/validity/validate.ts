import type { FormatName } from '../../../protocol/conversation.ts';
import type { ValidationProblem } from '../../../protocol/validate.ts';
import { canonicalProvider } from '../../models/provider.ts';
import type { Slices } from '../../slices.ts';
import { dialectOf } from '../openai/parts.ts';
import { aiSdk } from './aiSdk.ts';
import { gemini } from './gemini.ts';
import { neurolink, neutral } from './neutral.ts';
import { deepseek, mistral, openai } from './openai.ts';
import { responses } from './responses.ts';
import type { Rule } from './rule.ts';
import { anthropic, bedrock } from './turns.ts';

/** Who must be able to read the messages: a format, or a provider with rules of its own. */
export type Reader = FormatName | 'mistral' | 'deepseek';

export interface Validity {
	valid: boolean;
	problems: ValidationProblem[];
}

const rules: Record<Reader, readonly Rule[]> = {
	contextd: neutral,
	anthropic: anthropic,
	openai: openai,
	mistral: mistral,
	deepseek: deepseek,
	'openai-responses': responses,
	gemini: gemini,
	neurolink: neurolink,
	bedrock: bedrock,
	'ai-sdk': aiSdk,
};

/** Whether a reader takes the messages, in its own wire format, and where they break its rules. In slices. */
export function* validate(messages: readonly unknown[], reader: Reader): Slices<Validity> {
	const problems: ValidationProblem[] = [];
	for (const rule of rules[reader]) {
		yield* rule.check(messages, (index, message) => problems.push({ index, rule: rule.name, message }));
	}
	return { valid: problems.length === 0, problems };
}

const ownFormats: ReadonlyMap<string, FormatName> = new Map([
	['anthropic', 'anthropic'],
	['google-ai', 'gemini'],
	['vertex', 'gemini'],
	['neurolink', 'neurolink'],
	['bedrock', 'bedrock'],
	['ai-sdk', 'ai-sdk'],
]);

/** The format that a provider's API speaks: its own, else Chat Completions, which all others offer. */
export function formatOfProvider(provider: string): FormatName {
	return ownFormats.get(canonicalProvider(provider)) ?? 'openai';
}

/** Whose rules hold for messages of a format that go to a provider. */
export function readerOf(format: FormatName, options: { provider?: string; model?: string }): Reader {
	return format === 'openai' ? dialectOf(options) : format;
}
