import type { ChatMessage } from '../../protocol/conversation.ts';
import {
	createInvalidFieldFailure,
	type Fields,
	isFields,
	pickDefined,
	readOptionalText,
	requireFields,
	requireName,
	requireText,
} from '../shape.ts';
import { flatMapInSlices, type SlicedTask } from '../slices.ts';
import { type FormatAdapter, type RenderEntry, RenderLosses, type RenderResult } from './wire/adapter.ts';
import { toArgumentsObject } from './wire/arguments.ts';
import { joinPlainText, toContentParts } from './wire/content.ts';
import { addToolNames, findSourceIn, splitSegments } from './wire/grouping.ts';

/** Returns the id of a call or result. The format does not require ids, so the tool's name is the fallback. */
function readCallId(raw: Fields, tool: string): string {
	const metadata = isFields(raw.metadata) ? raw.metadata : {};
	return readOptionalText(raw.toolCallId) ?? readOptionalText(metadata.toolCallId) ?? `call_${tool}`;
}

function readResult(raw: Fields, tool: string): ChatMessage {
	const result = isFields(raw.result) ? raw.result : undefined;
	const text = requireText(raw.content ?? '', 'content');
	const value = result?.result ?? result?.error;
	const fromResult = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
	return pickDefined({
		role: 'tool',
		content: text === '' ? fromResult : text,
		toolCallId: readCallId(raw, tool),
		toolName: tool,
		isError: result?.success === false || typeof result?.error === 'string' || undefined,
	});
}

function readMessage(raw: Fields): ChatMessage {
	switch (raw.role) {
		case 'user':
		case 'assistant':
		case 'system':
			return { role: raw.role, content: requireText(raw.content, 'content') };
		case 'tool_call': {
			const name = requireName(raw.tool, 'tool');
			const content = requireText(raw.content ?? '', 'content');
			return {
				role: 'assistant',
				content,
				toolCalls: [{ id: readCallId(raw, name), name, args: raw.args ?? {} }],
			};
		}
		case 'tool_result':
			return readResult(raw, requireName(raw.tool, 'tool'));
		default:
			throw createInvalidFieldFailure(
				'role',
				'"user", "assistant", "system", "tool_call" or "tool_result"',
				raw.role,
			);
	}
}

function parseTimestamp(value: unknown): number | undefined {
	const time = typeof value === 'string' ? Date.parse(value) : value;
	return typeof time === 'number' && Number.isFinite(time) ? time : undefined;
}

function parse(raw: unknown): ChatMessage[] {
	const fields = requireFields(raw, 'message');
	const id = readOptionalText(fields.id) || undefined;
	const metadata = isFields(fields.metadata) ? fields.metadata : undefined;
	return [pickDefined({ id, ...readMessage(fields), timestamp: parseTimestamp(fields.timestamp), metadata })];
}

function createMetadata(entry: RenderEntry, members: Fields): Fields {
	const isShortened = entry.isChanged && entry.source !== undefined;
	const metadata = { ...entry.message.metadata, ...members, ...(isShortened ? { truncated: true } : {}) };
	return Object.keys(metadata).length > 0 ? { metadata } : {};
}

function recordLosses(message: ChatMessage & { id: string }, losses: RenderLosses): void {
	for (const part of toContentParts(message.content)) {
		if (part.type === 'image') losses.add('an image', message.id);
		if (part.type === 'reasoning') losses.add('reasoning', message.id);
		if (part.type === 'opaque') losses.add('an opaque part', message.id);
	}
}

function writeMessage(entry: RenderEntry, losses: RenderLosses): unknown[] {
	const { message } = entry;
	const raw = findSourceIn('neurolink', entry)?.raw;
	const content = joinPlainText(message.content);
	if (isFields(raw)) return [{ ...raw, content, ...createMetadata(entry, {}) }];
	recordLosses(message, losses);
	const { id } = message;
	const time = message.timestamp === undefined ? {} : { timestamp: message.timestamp };
	if (message.role === 'tool') {
		const metadata = createMetadata(entry, { toolCallId: message.toolCallId ?? '' });
		const result = message.isError ? { result: { success: false, error: content } } : {};
		return [
			{
				id,
				role: 'tool_result',
				content,
				tool: message.toolName ?? 'unknown',
				...result,
				...time,
				...metadata,
			},
		];
	}
	const calls = (message.toolCalls ?? []).map((call, index) => ({
		id: `${id}#call${index + 1}`,
		role: 'tool_call',
		content: '',
		tool: call.name,
		args: toArgumentsObject(call.args),
		...time,
		metadata: { toolCallId: call.id },
	}));
	if (content === '' && calls.length > 0) return calls;
	return [{ id, role: message.role, content, ...time, ...createMetadata(entry, {}) }, ...calls];
}

function* render(entries: readonly RenderEntry[]): SlicedTask<RenderResult> {
	const losses = new RenderLosses('neurolink');
	const namedEntries = yield* addToolNames(entries);
	const messages = yield* flatMapInSlices(yield* splitSegments('neurolink', namedEntries), (segment) =>
		segment.kind === 'whole' ? [segment.raw] : writeMessage(segment.entry, losses),
	);
	return { messages, warnings: losses.listSentences() };
}

/** Format of the NeuroLink SDK: calls and results are separate messages. */
export const neurolinkFormat: FormatAdapter = { name: 'neurolink', parse, render };
