import type { FormatName } from '../../protocol/conversation.ts';

/** Names of all formats, the product's own first. A separate file, so that adapters load later. */
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
