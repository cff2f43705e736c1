import type {
	ChatMessage,
	ContentPart,
	ImagePart,
	Role,
	ToolCall,
	Usage,
} from '../../protocol/conversation.ts';
import { Failure } from '../failure.ts';
import { getOrInsert } from '../getOrInsert.ts';
import {
	createInvalidFieldFailure,
	type Fields,
	isEmptyList,
	isFields,
	pickDefined,
	requireCount,
	requireFields,
	requireList,
	requireName,
	requireText,
} from '../shape.ts';
import { mapInSlices, type SlicedTask } from '../slices.ts';
import type { FormatAdapter, RenderEntry, RenderOptions, RenderResult } from './wire/adapter.ts';
import { createHashedId } from './wire/callIds.ts';
import { findSourceIn } from './wire/grouping.ts';

const knownRoles: readonly Role[] = ['system', 'user', 'assistant', 'tool'];

/** Whether a member is absent; null counts as absent. */
function isAbsent(value: unknown): boolean {
	return value === undefined || value === null;
}

function readImage(part: Fields, field: string): ImagePart {
	const readOptional = <T>(name: string, read: (value: unknown, field: string) => T): T | undefined =>
		isAbsent(part[name]) ? undefined : read(part[name], `${field}.${name}`);
	const detail = part.detail ?? undefined;
	if (detail !== undefined && detail !== 'low' && detail !== 'high' && detail !== 'auto')
		throw createInvalidFieldFailure(`${field}.detail`, '"low", "high" or "auto"', detail);
	return pickDefined({
		type: 'image',
		mediaType: requireText(part.mediaType, `${field}.mediaType`),
		data: readOptional('data', requireText),
		uri: readOptional('uri', requireText),
		// An invalid size is counted as a default size, so the message need not be refused.
		width: typeof part.width === 'number' ? part.width : undefined,
		height: typeof part.height === 'number' ? part.height : undefined,
		detail,
	});
}

function readPart(value: unknown, field: string): ContentPart {
	const part = requireFields(value, field);
	switch (part.type) {
		case 'text':
			return { type: 'text', text: requireText(part.text, `${field}.text`) };
		case 'image':
			return readImage(part, field);
		case 'reasoning': {
			const text = requireText(part.text, `${field}.text`);
			if (isAbsent(part.signature)) return { type: 'reasoning', text };
			return { type: 'reasoning', text, signature: requireText(part.signature, `${field}.signature`) };
		}
		case 'opaque':
			return { type: 'opaque', value: part.value };
		default:
			requireName(part.type, `${field}.type`);
			return { type: 'opaque', value: part };
	}
}

function readContent(value: unknown): string | ContentPart[] {
	if (typeof value === 'string') return value;
	if (!Array.isArray(value))
		throw createInvalidFieldFailure('content', 'a string or an array of parts', value);
	return value.map((part, index) => readPart(part, `content[${index}]`));
}

function readCall(value: unknown, field: string): ToolCall {
	const call = requireFields(value, field);
	return {
		id: requireText(call.id, `${field}.id`),
		name: requireName(call.name, `${field}.name`),
		args: isEmptyList(call.args) ? {} : (call.args ?? {}),
	};
}

/** Reads the token figures of a call. Throws `InvalidParams` that names the invalid field. */
function readUsage(value: unknown, field: string): Usage {
	const usage = requireFields(value, field);
	const readOptional = (name: string) =>
		isAbsent(usage[name]) ? undefined : requireCount(usage[name], `${field}.${name}`);
	return pickDefined({
		input: requireCount(usage.input, `${field}.input`),
		output: requireCount(usage.output, `${field}.output`),
		cacheRead: readOptional('cacheRead'),
		cacheWrite: readOptional('cacheWrite'),
		cacheWriteForHour: readOptional('cacheWriteForHour'),
	});
}

function requireBoolean(value: unknown, field: string): boolean {
	if (typeof value !== 'boolean') throw createInvalidFieldFailure(field, 'true or false', value);
	return value;
}

/** Readers of the optional fields of the neutral message. */
const optionalMemberReaders: {
	[Name in keyof ChatMessage]?: (value: unknown, field: string) => ChatMessage[Name];
} = {
	id: requireName,
	toolCalls: (value, field) =>
		requireList(value, field).map((call, index) => readCall(call, `${field}[${index}]`)),
	toolCallId: requireText,
	toolName: requireText,
	isError: requireBoolean,
	usage: readUsage,
	timestamp: (value, field) => {
		if (typeof value !== 'number' || !Number.isFinite(value))
			throw createInvalidFieldFailure(field, 'a finite number of milliseconds', value);
		return value;
	},
	stopReason: requireText,
	tokens: requireCount,
	hasEstimatedTokens: requireBoolean,
	pinned: requireBoolean,
	metadata: (value, field) => (isEmptyList(value) ? {} : requireFields(value, field)),
};

/** Members that the daemon sets. They come from the current message, never from what a client appended. */
const tagMembers = [
	'condenseId',
	'condenseParent',
	'truncationId',
	'truncationParent',
	'isTruncationMarker',
] as const satisfies readonly (keyof ChatMessage)[];

const optionalReaderEntries = Object.entries(optionalMemberReaders);

const knownMembers = new Set<string>([
	'role',
	'content',
	...Object.keys(optionalMemberReaders),
	...tagMembers,
]);

function parse(raw: unknown): ChatMessage[] {
	const fields = requireFields(raw, 'message');
	const role = knownRoles.find((name) => name === fields.role);
	if (!role) throw createInvalidFieldFailure('role', '"system", "user", "assistant" or "tool"', fields.role);
	const message: Fields = { role, content: readContent(fields.content) };
	for (const [name, read] of optionalReaderEntries) {
		const value = fields[name];
		if (!isAbsent(value)) message[name] = read(value, name);
	}
	return [message as unknown as ChatMessage];
}

function isCreatedByDaemon(message: ChatMessage): boolean {
	const { metadata } = message;
	if (message.condenseId !== undefined || message.truncationId !== undefined) return true;
	return Boolean(metadata?.isSummary || metadata?.isTruncationMarker || metadata?.synthetic);
}

function pickTags(message: ChatMessage): Fields {
	const presentTags = tagMembers.filter((tag) => message[tag] !== undefined);
	return Object.fromEntries(presentTags.map((tag) => [tag, message[tag]]));
}

/** Returns a raw message without tags; the same object if it has none. */
function removeTags(raw: Fields): Fields {
	if (!tagMembers.some((tag) => tag in raw)) return raw;
	return Object.fromEntries(Object.entries(raw).filter(([name]) => !tagMembers.some((tag) => tag === name)));
}

/** Returns a raw message with the call ids of its neutral form. */
function copyCallIds({ toolCalls = [], toolCallId }: ChatMessage, raw: Fields): Fields {
	if (!Array.isArray(raw.toolCalls)) return { ...raw, toolCallId };
	return { ...raw, toolCalls: raw.toolCalls.map((call, index) => ({ ...call, id: toolCalls[index]?.id })) };
}

function renderChanged(entry: RenderEntry): unknown {
	const { message } = entry;
	const raw = findSourceIn('contextd', entry)?.raw;
	const unknownFields = isFields(raw)
		? Object.fromEntries(Object.entries(raw).filter(([name]) => !knownMembers.has(name)))
		: {};
	if (message.metadata?.isTruncationMarker) return { ...message, isTruncationMarker: true };
	if (isCreatedByDaemon(message)) return message;
	return { ...unknownFields, ...message, metadata: { ...message.metadata, truncated: true } };
}

/** Renders one message; `input` is its entry before empty call ids were replaced. */
function renderEntry(entry: RenderEntry, input: RenderEntry | undefined, options: RenderOptions): unknown {
	const { message } = entry;
	if (entry.isChanged) return renderChanged(entry);
	const original = findSourceIn('contextd', entry)?.raw;
	if (!isFields(original)) return message;
	const raw = entry === input ? original : copyCallIds(message, original);
	const tags = pickTags(message);
	const isShown = options.assignedIds === 'shown';
	// Tags name the steps that hide a message, so tags of another history would be wrong.
	const rawFields = isShown ? removeTags(raw) : raw;
	const isIdShown = isShown && raw.id === undefined;
	if (rawFields === raw && !isIdShown && Object.keys(tags).length === 0) return raw;
	return { ...(isIdShown ? { id: message.id } : {}), ...rawFields, ...tags };
}

function* render(entries: readonly RenderEntry[], options: RenderOptions = {}): SlicedTask<RenderResult> {
	const entriesWithIds = yield* assignCallIds(entries);
	const messages = yield* mapInSlices(entriesWithIds, (entry, index) =>
		renderEntry(entry, entries[index], options),
	);
	return { messages, warnings: [] };
}

/** contextd's own format: neutral messages, never merged, and not reordered if they are valid. */
export const contextdFormat: FormatAdapter = { name: 'contextd', parse, render };

/** Calls that wait for their results, each with its original id and its outgoing id. Constant amortized time. */
class WaitingCalls {
	readonly #wireIds: string[] = [];
	readonly #isAnswered: boolean[] = [];
	/** The indexes of the calls with each original id, and how many of these calls were answered. */
	readonly #callsById = new Map<string, { indexes: number[]; answeredCount: number }>();
	/** Index of the call that has waited longest. */
	#firstWaitingIndex = 0;

	add(original: string, wireId: string): void {
		const calls = getOrInsert(this.#callsById, original, () => ({ indexes: [], answeredCount: 0 }));
		calls.indexes.push(this.#wireIds.length);
		this.#wireIds.push(wireId);
		this.#isAnswered.push(false);
	}

	/** Removes the first call with this original id. `isFirst`: whether no other call waited longer. */
	removeFirst(original: string): { wireId: string; isFirst: boolean } | undefined {
		const calls = this.#callsById.get(original);
		const index = calls?.indexes[calls.answeredCount];
		if (calls === undefined || index === undefined) return undefined;
		calls.answeredCount++;
		const isFirst = index === this.#firstWaitingIndex;
		this.#isAnswered[index] = true;
		while (this.#isAnswered[this.#firstWaitingIndex]) this.#firstWaitingIndex++;
		return { wireId: this.#wireIds[index] ?? '', isFirst };
	}
}

/** Whether contextd created a call, because the result after it had no call. */
function isSyntheticCall(entry: RenderEntry | undefined): boolean {
	return Boolean(entry?.message.metadata?.synthetic && entry.message.toolCalls?.length);
}

/**
 * Replaces empty call ids by ids generated from their messages, in slices. Readers assign a result without a
 * call id to the first waiting call. So a result gets the id of its call if that is not the first waiting
 * call, or if the id was generated. Everything else stays unchanged.
 */
function assignCallIds(entries: readonly RenderEntry[]): SlicedTask<readonly RenderEntry[]> {
	let waitingCalls = new WaitingCalls();
	return mapInSlices(entries, (entry, index) => {
		const { message } = entry;
		const { toolCalls, toolCallId = '' } = message;
		if (toolCalls?.length) {
			if (!entries[index - 1]?.message.toolCalls?.length) waitingCalls = new WaitingCalls();
			const calls = toolCalls.map((call, position) =>
				call.id === '' ? { ...call, id: `call_${createHashedId(`${message.id}#${position}`, 13)}` } : call,
			);
			for (const [position, { id }] of calls.entries()) waitingCalls.add(toolCalls[position]?.id ?? '', id);
			const isSame = calls.every((call, position) => call === toolCalls[position]);
			return isSame ? entry : { ...entry, message: { ...message, toolCalls: calls } };
		}
		if (message.role !== 'tool') return entry;
		const openCall = waitingCalls.removeFirst(toolCallId);
		if (!openCall) return entry;
		const raw = findSourceIn('contextd', entry)?.raw;
		const isNamed = isFields(raw) && raw.toolCallId;
		const isUnderstood = openCall.isFirst && openCall.wireId === toolCallId;
		if (isNamed || (isUnderstood && !isSyntheticCall(entries[index - 1]))) return entry;
		return { ...entry, message: { ...message, toolCallId: openCall.wireId } };
	});
}

/** Maximum of a usage figure: far above any model's window, and small enough that sums stay exact. Tokens. */
export const maxFigureTokens = 1e9;

/** Fails with `InvalidParams` if a message has impossible usage figures. */
export function checkUsageFigures({ tokens = 0, usage }: ChatMessage): void {
	checkFigure('tokens', tokens);
	if (!usage) return;
	checkFigure('usage.input', usage.input);
	checkFigure('usage.output', usage.output);
	checkFigure('usage.cacheRead', usage.cacheRead);
	checkFigure('usage.cacheWrite', usage.cacheWrite);
	checkFigure('usage.cacheWriteForHour', usage.cacheWriteForHour);
}

function checkFigure(field: string, value = 0): void {
	if (value <= maxFigureTokens) return;
	throw new Failure('InvalidParams', `${field}: expected at most ${maxFigureTokens} tokens, got ${value}`, {
		field,
	});
}
