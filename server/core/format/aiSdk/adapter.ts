import type { ChatMessage } from '../../../protocol/conversation.ts';
import { type Fields, isFields, requireFields } from '../../shape.ts';
import { filterInSlices, itemsPerSlice, mapInSlices, type SlicedTask } from '../../slices.ts';
import type { FormatAdapter, RenderEntry, RenderResult } from '../wire/adapter.ts';
import { createCallIds, createHashedId, type IdRule } from '../wire/callIds.ts';
import { addToolNames, splitSegments } from '../wire/grouping.ts';
import { createLossCollector } from '../wire/warnings.ts';
import { isOwnCall, splitAiSdkMessage } from './parts.ts';
import { writeAiSdkMessage } from './write.ts';

/** The SDK passes any id to the provider. Ids must not be empty or repeat within one answer. */
const idRule: IdRule = {
	uniqueWithin: 'batch',
	allowed: /^.+$/s,
	createId: (text) => `call_${createHashedId(text, 13)}`,
};

/** A message under construction, and the wire message that it is part of. */
interface DraftMessage {
	message: Fields;
	/** Key of the wire message that contains the draft; absent if the draft is a whole wire message. */
	body?: string;
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

/** Whether both drafts are tool results that belong to the same wire message. */
function areInOneMessage(left: DraftMessage, right: DraftMessage): boolean {
	const areTools = left.message.role === 'tool' && right.message.role === 'tool';
	return areTools && left.body !== undefined && left.body === right.body;
}

/** Whether `right` continues an answer: `left` contains calls, and their results have not come yet. */
function continuesAnswer(left: DraftMessage, right: DraftMessage): boolean {
	return left.message.role === 'assistant' && right.message.role === 'assistant' && hasCalls(left.message);
}

/** Appends the parts of `right` to the list of `left`, in place, so that thousands of appends stay linear. */
function joinParts(left: DraftMessage, right: DraftMessage): DraftMessage {
	const content = listParts(left.message);
	for (const part of listParts(right.message)) content.push(part);
	return { message: { ...right.message, ...left.message, content }, body: left.body };
}

/** Copies the parts of a message into a list of its own. */
function copyParts({ message, body }: DraftMessage): DraftMessage {
	return { message: { ...message, content: [...listParts(message)] }, body };
}

/** Joins results of one message, and calls of one answer, so that results directly follow their calls. */
function* joinMessages(drafts: readonly DraftMessage[]): SlicedTask<Fields[]> {
	const joinedDrafts: DraftMessage[] = [];
	let isOwned = false;
	for (const [index, one] of drafts.entries()) {
		if (index % itemsPerSlice === itemsPerSlice - 1) yield;
		const last = joinedDrafts.at(-1);
		if (!last || !(areInOneMessage(last, one) || continuesAnswer(last, one))) {
			joinedDrafts.push(one);
			isOwned = false;
			continue;
		}
		joinedDrafts[joinedDrafts.length - 1] = joinParts(isOwned ? last : copyParts(last), one);
		isOwned = true;
	}
	return yield* mapInSlices(joinedDrafts, ({ message }) => message);
}

function assignWireIds(messages: readonly Fields[]): SlicedTask<Fields[]> {
	const ids = createCallIds(idRule);
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
	const losses = createLossCollector('ai-sdk');
	const named = yield* addToolNames(entries);
	const drafts = yield* mapInSlices(yield* splitSegments('ai-sdk', named), (segment): DraftMessage => {
		if (segment.kind === 'whole') return { message: segment.raw as Fields };
		const { entry } = segment;
		const isOwn = entry.source?.format === 'ai-sdk';
		return { message: writeAiSdkMessage(entry, losses), body: isOwn ? entry.source?.key : 'made here' };
	});
	const nonEmpty = yield* filterInSlices(drafts, ({ message }) => !isEmptyMessage(message));
	const messages = yield* assignWireIds(yield* joinMessages(nonEmpty));
	return { messages, warnings: losses.listSentences() };
}

/** Format of the Vercel AI SDK's ModelMessages, and of CoreMessages before its version 5. */
export const aiSdkFormat: FormatAdapter = { name: 'ai-sdk', parse, render };
