import type { FormatName } from '../../../protocol/conversation.ts';
import { canonicalProvider } from '../../models/provider.ts';
import { dialectOf } from '../openai/parts.ts';
import type { Reader } from './validate.ts';

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
