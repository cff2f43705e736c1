import type { FormatName } from '../../protocol/conversation.ts';

/** The names of all formats, the product's own first. They stand apart: the daemon tells them before it reads or writes any. */
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
