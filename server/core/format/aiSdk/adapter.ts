import type { ChatMessage } from '../../../protocol/conversation.ts';
import { type Fields, isFields, requireFields } from '../../shape.ts';
import { filterInSlices, forEachInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';
import { type FormatAdapter, type RenderEntry, RenderLosses, type RenderResult } from '../wire/adapter.ts';
import { CallIds, createHashedId, type IdRule } from '../wire/callIds.ts';
import { addToolNames, splitSegments } from '../wire/grouping.ts';
import { isOwnCall, splitAiSdkMessage } from './parts.ts';
import { writeAiSdkMessage } from './write.ts';

/** The SDK passes any id to the provider. Ids must not be empty or repeat within one answer. */
const idRule: IdRule = {
	uniqueWithin: 'batch',
	allowedPattern: /^.+$/s,
	createId: (text) => `call_${createHashedId(text, 13)}`,
};

/** A message under construction, and the wire message that it is part of. */
interface DraftMessage {
	message: Fields;
	/** Key of the wire message that contains the draft; absent if the draft is a whole wire message. */
	bodyKey?: string;
}

function listParts(message: Fields): unknown[] {
	if (Array.isArray(message.content)) return message.content;
	return message.content === '' ? [] : [{ type: 'text', text: message.content }];
}

function hasCalls(message: Fields): boolean {
	return listParts(message).some((part) => isFields(part) && isOwnCall(part));
}

function isEmptyMessage({ role, content }: Fields): boolean {
	return (role === 'assistant' && content === '') || (Array.isArray(content) && content.length === 0);
}

/** Whether a draft belongs to the wire message of a run: as a result of its body, or as a part of its answer with calls. */
function continuesMessage([first]: readonly DraftMessage[], { message, bodyKey }: DraftMessage): boolean {
	if (first === undefined || first.message.role !== message.role) return false;
	if (message.role === 'tool') return bodyKey !== undefined && first.bodyKey === bodyKey;
	return message.role === 'assistant' && hasCalls(first.message);
}

/** Joins results of one message, and calls of one answer, so that results directly follow their calls. */
function* joinMessages(drafts: readonly DraftMessage[]): SlicedTask<Fields[]> {
	const runs: DraftMessage[][] = [];
	yield* forEachInSlices(drafts, (draft) => {
		const run = runs.at(-1);
		if (run && continuesMessage(run, draft)) run.push(draft);
		else runs.push([draft]);
	});
	return yield* mapInSlices(runs, (run) => {
		const messages = run.map(({ message }) => message);
		if (messages.length === 1) return messages[0]!;
		return { ...Object.assign({}, ...messages.toReversed()), content: messages.flatMap(listParts) };
	});
}

function assignWireIds(messages: readonly Fields[]): SlicedTask<Fields[]> {
	const ids = new CallIds(idRule);
	return mapInSlices(messages, (message) => {
		if (message.role === 'assistant') ids.endBatch();
		if (!Array.isArray(message.content)) return message;
		const content = message.content.map((part) => {
			if (!isFields(part) || typeof part.toolCallId !== 'string') return part;
			const isCall = message.role === 'assistant' && isOwnCall(part);
			if (!isCall && !(message.role === 'tool' && part.type === 'tool-result')) return part;
			const id = isCall ? ids.assignCallId(part.toolCallId) : ids.findResultId(part.toolCallId);
			return id === part.toolCallId ? part : { ...part, toolCallId: id };
		});
		const isSame = content.every((part, index) => part === (message.content as unknown[])[index]);
		return isSame ? message : { ...message, content };
	});
}

function parse(raw: unknown): ChatMessage[] {
	return splitAiSdkMessage(requireFields(raw, 'message')).map(({ message }) => message);
}

function* render(entries: readonly RenderEntry[]): SlicedTask<RenderResult> {
	const losses = new RenderLosses('ai-sdk');
	const namedEntries = yield* addToolNames(entries);
	const drafts = yield* mapInSlices(yield* splitSegments('ai-sdk', namedEntries), (segment): DraftMessage => {
		if (segment.kind === 'whole') return { message: segment.raw as Fields };
		const { entry } = segment;
		const isOwn = entry.source?.format === 'ai-sdk';
		return { message: writeAiSdkMessage(entry, losses), bodyKey: isOwn ? entry.source?.key : 'made here' };
	});
	const nonEmptyDrafts = yield* filterInSlices(drafts, ({ message }) => !isEmptyMessage(message));
	const messages = yield* assignWireIds(yield* joinMessages(nonEmptyDrafts));
	return { messages, warnings: losses.listSentences() };
}

/** Format of the Vercel AI SDK's ModelMessages, and of CoreMessages before its version 5. */
export const aiSdkFormat: FormatAdapter = { name: 'ai-sdk', parse, render };
