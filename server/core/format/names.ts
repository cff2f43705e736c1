import type { FormatName } from '../../protocol/conversation.ts';

/** Names of all formats, contextd's own first. Listing them must not load the adapters. */
export const formatNames: readonly FormatName[] = [
	'contextd',
	'anthropic',
	'openai',
	'openai-responses',
	'gemini',
	'neurolink',
	'bedrock',
	'ai-sdk',
];
