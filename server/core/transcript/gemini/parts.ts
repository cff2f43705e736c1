import type { ContentPart, Usage } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, asText, firstNumber, firstText } from '../../values.ts';
import {
	type ContentBlocks,
	type ResultBlock,
	readBlocks,
	readCall,
	toResultContent,
} from '../reading/blocks.ts';
import { readUsageWithReads } from '../reading/usage.ts';

/** Reads the parts of a message of the Gemini API: texts, calls and results. */
export function readGeminiParts(parts: unknown): ContentBlocks {
	const blocks: ContentBlocks = { parts: [], calls: [], results: [] };
	for (const part of asList(parts)) {
		const { functionCall, functionResponse } = asFields(part);
		if (isFields(functionCall)) blocks.calls.push(readCall(functionCall));
		else if (isFields(functionResponse)) blocks.results.push(readResponse(functionResponse));
		else blocks.parts.push(...readContent(part));
	}
	return blocks;
}

function readContent(part: unknown): ContentPart[] {
	if (typeof part === 'string') return part === '' ? [] : [{ type: 'text', text: part }];
	if (!isFields(part)) return [];
	const { text, thought, thoughtSignature, inlineData } = part;
	if (typeof text === 'string') {
		if (thought !== true) return text === '' ? [] : [{ type: 'text', text }];
		const signature = firstText(thoughtSignature);
		return [{ type: 'reasoning', text, ...(signature !== undefined && { signature }) }];
	}
	const { data, mimeType } = asFields(inlineData);
	if (typeof data === 'string' && firstText(mimeType)?.startsWith('image/'))
		return readBlocks([{ type: 'image', data, mimeType }]).parts;
	return [{ type: 'opaque', value: part }];
}

/** Reads a result; its media follow its text. */
function readResponse(response: Fields): ResultBlock {
	const { output, error } = asFields(response.response);
	const text = asText(output ?? error ?? response.response);
	const media = asList(response.parts).flatMap(readContent);
	const content: ContentPart[] = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...media];
	return {
		callId: firstText(response.id),
		toolName: firstText(response.name),
		content: media.length === 0 ? toResultContent(text) : content,
		...(error !== undefined && output === undefined && { isError: true }),
	};
}

/** Returns the usage from the `usageMetadata` of an answer of the Gemini API. */
export function readGeminiUsage(value: unknown): Usage | undefined {
	const usage = asFields(value);
	const prompt = firstNumber(usage.promptTokenCount);
	const output = firstNumber(usage.candidatesTokenCount) ?? 0;
	const thoughts = firstNumber(usage.thoughtsTokenCount) ?? 0;
	// Some servers already include thoughts in the answer's tokens; the total shows whether they do.
	const isCounted = prompt !== undefined && firstNumber(usage.totalTokenCount) === prompt + output;
	return readUsageWithReads(prompt, isCounted ? output : output + thoughts, usage.cachedContentTokenCount);
}
