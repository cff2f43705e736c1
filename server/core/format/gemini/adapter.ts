import type { ChatMessage, Usage } from '../../../protocol/conversation.ts';
import { countOrZero, isFields, requireFields } from '../../shape.ts';
import type { FormatAdapter } from '../wire/adapter.ts';
import { addWireUsage } from '../wire/pieces.ts';
import { splitGeminiContent } from './parts.ts';
import { renderGemini } from './render.ts';

const stopReasons: Record<string, string> = { STOP: 'stop', MAX_TOKENS: 'length' };

/** Reads usage figures. The API includes cached tokens in the prompt, and reports thoughts apart from the answer. */
function readUsage(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	const cacheRead = countOrZero(value.cachedContentTokenCount);
	const prompt = countOrZero(value.promptTokenCount) + countOrZero(value.toolUsePromptTokenCount);
	return {
		input: Math.max(0, prompt - cacheRead),
		output: countOrZero(value.candidatesTokenCount) + countOrZero(value.thoughtsTokenCount),
		cacheRead,
	};
}

function parse(raw: unknown): ChatMessage[] {
	const content = requireFields(raw, 'content');
	return addWireUsage(
		splitGeminiContent(content),
		readUsage(content.usageMetadata),
		content.finishReason,
		stopReasons,
	);
}

/** Format of the `contents` of Google's Gemini API. */
export const geminiFormat: FormatAdapter = { name: 'gemini', parse, render: renderGemini };
