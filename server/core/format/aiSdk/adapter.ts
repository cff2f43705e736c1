import type { ChatMessage } from '../../../protocol/conversation.ts';
import { type Fields, fieldsAt, isFields } from '../../shape.ts';
import { filterInSlices, mapInSlices, type Slices, sliceLength } from '../../slices.ts';
import type { FormatAdapter, RenderEntry, Rendered } from '../wire/adapter.ts';
import { callIds, hashedId, type IdRule } from '../wire/callIds.ts';
import { segments, withToolNames } from '../wire/grouping.ts';
import { collectLosses } from '../wire/warnings.ts';
import { isOwnCall, splitMessage } from './parts.ts';
import { writeMessage } from './write.ts';

/** The SDK takes any id, and hands it on to the provider; none may be empty or stand twice in one answer. */
const idRule: IdRule = {
	unique: 'batch',
	allowed: /^.+$/s,
	make: (text) => `call_${hashedId(text, 13)}`,
};

/** A message in the making, with the wire message that it is a part of. */
interface Made {
	message: Fields;
	/** Absent on a wire message that is whole. */
	body?: string;
}

function partsOf(message: Fields): unknown[] {
	if (Array.isArray(message.content)) return message.content;
	return message.content === '' ? [] : [{ type: 'text', text: message.content }];
}

function callsIn(message: Fields): boolean {
	return partsOf(message).some((part) => isFields(part) && isOwnCall(part));
}

function saysNothing({ role, content }: Fields): boolean {
	return (role === 'assistant' && content === '') || (Array.isArray(content) && content.length === 0);
}

/** Whether both are results of one message of the client's, or of none. */
function areOneMessage(left: Made, right: Made): boolean {
	const areTools = left.message.role === 'tool' && right.message.role === 'tool';
	return areTools && left.body !== undefined && left.body === right.body;
}

/** Whether an answer goes on: calls stand already, and their results do not yet. */
function continues(left: Made, right: Made): boolean {
	return left.message.role === 'assistant' && right.message.role === 'assistant' && callsIn(left.message);
}

/** Adds a message to one whose parts are in a list of its own, so that thousands can follow. */
function join(left: Made, right: Made): Made {
	const content = partsOf(left.message);
	for (const part of partsOf(right.message)) content.push(part);
	return { message: { ...right.message, ...left.message, content }, body: left.body };
}

/** With its parts in a list that nobody else has. */
function owned({ message, body }: Made): Made {
	return { message: { ...message, content: [...partsOf(message)] }, body };
}

/** Results of one message together again, and the calls of one answer, so that its results can stand behind them. */
function* joined(made: readonly Made[]): Slices<Fields[]> {
	const kept: Made[] = [];
	let isOwned = false;
	for (const [index, one] of made.entries()) {
		if (index % sliceLength === sliceLength - 1) yield;
		const last = kept.at(-1);
		if (!last || !(areOneMessage(last, one) || continues(last, one))) {
			kept.push(one);
			isOwned = false;
			continue;
		}
		kept[kept.length - 1] = join(isOwned ? last : owned(last), one);
		isOwned = true;
	}
	return yield* mapInSlices(kept, ({ message }) => message);
}

function withIds(messages: readonly Fields[]): Slices<Fields[]> {
	const ids = callIds(idRule);
	return mapInSlices(messages, (message) => {
		if (message.role === 'assistant') ids.endBatch();
		if (!Array.isArray(message.content)) return message;
		const content = message.content.map((part) => {
			if (!isFields(part) || typeof part.toolCallId !== 'string') return part;
			const isCall = message.role === 'assistant' && isOwnCall(part);
			if (!isCall && !(message.role === 'tool' && part.type === 'tool-result')) return part;
			const id = isCall ? ids.call(part.toolCallId) : ids.result(part.toolCallId);
			return id === part.toolCallId ? part : { ...part, toolCallId: id };
		});
		const isSame = content.every((part, index) => part === (message.content as unknown[])[index]);
		return isSame ? message : { ...message, content };
	});
}

function parse(raw: unknown): ChatMessage[] {
	return splitMessage(fieldsAt(raw, 'message')).map(({ message }) => message);
}

function* render(entries: readonly RenderEntry[]): Slices<Rendered> {
	const losses = collectLosses('ai-sdk');
	const named = yield* withToolNames(entries);
	const made = yield* mapInSlices(yield* segments('ai-sdk', named), (segment): Made => {
		if (segment.kind === 'whole') return { message: segment.raw as Fields };
		const { entry } = segment;
		const isOwn = entry.source?.format === 'ai-sdk';
		return { message: writeMessage(entry, losses), body: isOwn ? entry.source?.key : 'made here' };
	});
	const said = yield* filterInSlices(made, ({ message }) => !saysNothing(message));
	const messages = yield* withIds(yield* joined(said));
	return { messages, warnings: losses.sentences() };
}

/** The ModelMessages of the Vercel AI SDK, and the CoreMessages that they were before its version 5. */
export const aiSdk: FormatAdapter = { name: 'ai-sdk', parse, render };
