import type { FormatName } from '../../protocol/conversation.ts';

/**
 * Names of all formats, the product's own first. In a separate file, so that listing them does not
 * load the adapters.
 */
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
