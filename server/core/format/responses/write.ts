import type { ContentPart, ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields, pickDefined, textOrEmpty } from '../../shape.ts';
import type { RenderEntry, RenderLosses } from '../wire/adapter.ts';
import { formatArgumentsJson, formatArgumentsText, toArgumentsObject } from '../wire/arguments.ts';
import { createImageUrl, describePart, isSamePart, joinPlainText, toContentParts } from '../wire/content.ts';
import { findSourceIn } from '../wire/grouping.ts';
import { callOutputTypes, clientCallKinds, readItemType } from './items.ts';
import { readResponsesPart } from './parse.ts';

const acceptedInputTypes = new Set([
	'input_text',
	'input_image',
	'input_file',
	'input_audio',
	'output_text',
	'refusal',
]);

interface WriteContext {
	raw: Fields | undefined;
	entry: RenderEntry;
	reportLoss(content: string): undefined;
}

function writeOpaque(value: unknown, context: WriteContext): unknown {
	const format = context.entry.source?.format;
	const type = isFields(value) ? textOrEmpty(value.type) : '';
	const isAccepted =
		format === 'openai-responses' || ((!format || format === 'contextd') && acceptedInputTypes.has(type));
	return isAccepted ? value : context.reportLoss(describePart(value));
}

function writePart(part: ContentPart, isAnswer: boolean, context: WriteContext): unknown {
	if (part.type === 'text') return { type: isAnswer ? 'output_text' : 'input_text', text: part.text };
	if (part.type === 'reasoning') return context.reportLoss('reasoning that this provider did not sign');
	if (part.type === 'opaque') return writeOpaque(part.value, context);
	if (isAnswer) return context.reportLoss('an image in an answer');
	const url = createImageUrl(part);
	return url === undefined
		? context.reportLoss('an image without data')
		: pickDefined({ type: 'input_image', image_url: url, detail: part.detail });
}

function writeContent(
	content: string | ContentPart[],
	isAnswer: boolean,
	originalContent: unknown,
	context: WriteContext,
) {
	if (typeof content === 'string') return content;
	const originalParts = Array.isArray(originalContent) ? originalContent : [];
	const parts = content
		.map((part, index) => {
			const candidate = originalParts[index];
			const isSame = isFields(candidate) && isSamePart(readResponsesPart(candidate, 'content'), part);
			return isSame ? candidate : writePart(part, isAnswer, context);
		})
		.filter((part) => part !== undefined);
	if (parts.length === 0) return '';
	const isPlain =
		content.every((part) => part.type === 'text') && !parts.some((part) => originalParts.includes(part));
	return isPlain && content.length === 1 ? joinPlainText(content) : parts;
}

function writeCall(call: ToolCall, raw: Fields | undefined): unknown {
	const kind = raw && clientCallKinds.get(readItemType(raw));
	if (!raw || !kind) {
		const { id, name, args } = call;
		return { type: 'function_call', call_id: id, name, arguments: formatArgumentsJson(args) };
	}
	if (kind.field === 'arguments') return { ...raw, arguments: formatArgumentsJson(call.args) };
	if (kind.field === 'input') return { ...raw, input: formatArgumentsText(call.args) };
	return { ...raw, [kind.field]: toArgumentsObject(call.args) };
}

function writeOutput(context: WriteContext): unknown[] {
	const { raw, entry } = context;
	const { message } = entry;
	const type = raw ? readItemType(raw) : 'function_call_output';
	if (type === 'computer_call_output') {
		context.reportLoss('the shortening of a screenshot');
		return [raw];
	}
	const rawFields =
		raw && callOutputTypes.has(type) ? raw : { type: 'function_call_output', call_id: message.toolCallId };
	if (type === 'shell_call_output') {
		const lastItem = Array.isArray(raw?.output) ? raw.output.at(-1) : undefined;
		const outcome =
			isFields(lastItem) && lastItem.outcome ? lastItem.outcome : { type: 'exit', exit_code: 0 };
		return [{ ...rawFields, output: [{ stdout: joinPlainText(message.content), stderr: '', outcome }] }];
	}
	return [{ ...rawFields, output: writeContent(message.content, false, raw?.output, context) }];
}

function writeAnswer(context: WriteContext): unknown[] {
	const { raw, entry } = context;
	const { message } = entry;
	const type = raw && readItemType(raw);
	const opaquePart = toContentParts(message.content).find((part) => part.type === 'opaque');
	if (raw && type !== 'message' && opaquePart && opaquePart.value !== undefined) return [opaquePart.value];
	const content = writeContent(message.content, true, raw?.content, context);
	const rawFields = type === 'message' ? raw : { type: 'message', role: 'assistant' };
	const items: unknown[] = content.length === 0 ? [] : [{ ...rawFields, content }];
	for (const call of message.toolCalls ?? []) items.push(writeCall(call, raw));
	return items;
}

/** Writes a message as items of the Responses API: text, then calls. Compacted items replace a summary. */
export function writeResponsesItems(entry: RenderEntry, losses: RenderLosses): unknown[] {
	if (entry.items) return [...entry.items];
	const { message } = entry;
	const source = findSourceIn('openai-responses', entry)?.raw;
	const raw = isFields(source) ? source : undefined;
	const reportLoss = (content: string): undefined => losses.add(content, message.id);
	const context: WriteContext = { raw, entry, reportLoss };
	if (message.role === 'tool') return writeOutput(context);
	if (message.role === 'assistant') return writeAnswer(context);
	const role = message.role === 'system' && raw?.role === 'developer' ? 'developer' : message.role;
	const rawFields = raw && readItemType(raw) === 'message' ? raw : { type: 'message' };
	return [{ ...rawFields, role, content: writeContent(message.content, false, raw?.content, context) }];
}
