/** Applies contextd's decisions to the messages of each request to the model. */

import type { DecisionReport, RequestContext, View } from '../../kit/conversationTypes.ts';
import type { BlockMessage } from '../../kit/index.ts';
import { isFields } from '../../server/core/shape.ts';
import { type ConversationState, type Conversations, showNotice } from './conversations.ts';
import { type FetchResult, type Host, type HostEvents, type NextHandler, withTimeout } from './host.ts';
import {
	type ConversationRequest,
	isCachedForHour,
	omitMessages,
	parseModelRequest,
	serializeWithMessages,
} from './modelRequest.ts';
import { describeDecision, formatStatus, restoredText } from './texts.ts';

/** Timeout for all calls of the daemon during a request, in milliseconds. Less than Claude Code's timeout of a hook. */
const timeoutMs = 8000;

type FetchEvent = HostEvents['http.fetch']['event'];

/** Sends a request. If the request continues a conversation, the held view replaces its messages. */
export async function sendWithView(
	host: Host,
	event: FetchEvent,
	next: NextHandler<FetchEvent, FetchResult>,
	conversations: Conversations,
): Promise<FetchResult> {
	const request = parseModelRequest(event.url, event.init);
	if (request === undefined) return next(event);
	const state = conversations.open(host, request);
	if (await conversations.isOff(host, state)) {
		// The figures of the last request do not apply once contextd is on again.
		Object.assign(state, { lastRequest: undefined, stats: undefined });
		return next(event);
	}
	if (request.model !== state.model) Object.assign(state, { model: request.model, answeredPromptTokens: 0 });
	state.isCachedForHour = isCachedForHour(request);
	const hostMessages = request.isSummary ? request.messages.slice(0, -1) : request.messages;
	conversations.window ??= (await host.session.usage().catch(() => undefined))?.context.window;
	state.folder ??= await host.session.cwd();
	const context = createRequestContext(request, state.folder, conversations.window);
	const task = chooseMessages(host, state, { hostMessages, context }, conversations);
	const { messages, fullMessages } = await withTimeout(host, 'the view', timeoutMs, task).catch(
		(error: unknown): MessagesToSend => {
			conversations.warn(host, error);
			return { messages: hostMessages };
		},
	);
	const { hasStatusLine } = conversations;
	if (state.stats && !hasStatusLine && request.agent === undefined) host.ui.status(formatStatus(state.stats));
	const pending = { event, next, request, state };
	if (request.isSummary) return next(withMessages(pending, [...messages, ...request.messages.slice(-1)]));
	if (fullMessages === undefined) return sendTwice(pending, messages);
	const answer = state.isShortened
		? undefined
		: await sendFullMessages(host, pending, fullMessages, conversations);
	if (answer !== undefined) return answer;
	const shorter = await sendTwice(pending, messages);
	if (shorter.value?.ok === true) state.isTrialAnswered = true;
	else if (isRefusal(shorter) && !state.isShortened) await endTrial(host, state, false, conversations);
	return shorter;
}

/** Returns the context of a request's messages: folder, model, window, and the other parts of the request. */
function createRequestContext(
	request: ConversationRequest,
	folder: string,
	window: number | undefined,
): RequestContext {
	return {
		workspace: folder,
		provider: 'anthropic',
		model: request.model,
		...(window !== undefined && { contextWindow: window }),
		request: omitMessages(request),
	};
}

/** A request of a conversation that is about to be sent to the provider. */
interface PendingRequest {
	event: FetchEvent;
	next: NextHandler<FetchEvent, FetchResult>;
	request: ConversationRequest;
	state: ConversationState;
}

/** The messages to send, and the full messages to try first while a compaction is on trial. */
type MessagesToSend = Pick<View<BlockMessage>, 'fullMessages'> & { messages: readonly BlockMessage[] };

/** Returns the messages to send, after asking the daemon for a decision. */
async function chooseMessages(
	host: Host,
	state: ConversationState,
	{ hostMessages, context }: NonNullable<ConversationState['lastRequest']>,
	conversations: Conversations,
): Promise<MessagesToSend> {
	const { conversation, dueCompaction } = state;
	const view = await conversation.view(hostMessages, context);
	const { stats, decision } = view;
	Object.assign(state, { lastRequest: { hostMessages, context }, dueCompaction: undefined });
	if (stats !== undefined) {
		state.stats = stats;
		conversations.onAnswer();
	}
	if (decision !== undefined) reportDecision(host, state, decision);
	if (dueCompaction === undefined || decision !== undefined) return view;
	const outcome = await conversation.compact(hostMessages, dueCompaction.instructions);
	if (outcome.decision !== undefined) reportDecision(host, state, outcome.decision);
	return conversation.view(hostMessages, context);
}

/** Shows the user a line about a decision in the main conversation. */
function reportDecision(host: Host, state: ConversationState, decision: DecisionReport): void {
	state.isUndone = false;
	showNotice(host, state.sessionId, describeDecision(decision));
}

/** Returns the event with other messages; the original event if the API would not accept the messages. */
function withMessages({ event, request }: PendingRequest, messages: readonly BlockMessage[]): FetchEvent {
	const hostMessages = request.messages;
	const isSame =
		messages.length === hostMessages.length &&
		messages.every((message, index) => message === hostMessages[index]);
	if (isSame) return event;
	const sendable = dropOldCacheMarks(hostMessages, messages);
	if (isAcceptableMessageList(hostMessages) && !isAcceptableMessageList(sendable)) return event;
	return { ...event, init: { ...event.init, body: serializeWithMessages(request, sendable) } };
}

/** Whether the provider refused a prompt. Judged by the status, because mods cannot read the text of the error. */
function isRefusal({ value }: FetchResult): boolean {
	return value?.status === 400 || value?.status === 413;
}

/** Sends messages. After a refusal, sends them once more unchanged, unless they repeat a refused request. */
async function sendTwice(pending: PendingRequest, messages: readonly BlockMessage[]): Promise<FetchResult> {
	const { next, state } = pending;
	const event = withMessages(pending, messages);
	const { body } = event.init;
	let answer = await next(event);
	if (isRefusal(answer) && state.refusal?.body !== body) answer = await next(event);
	state.refusal = isRefusal(answer) ? { status: answer.value?.status ?? 400, body } : undefined;
	return answer;
}

/**
 * Sends the full messages while a compaction is on trial. Returns the answer; undefined if the provider refused the messages.
 *
 * An answer ends the trial and undoes the compaction. A refusal ends it and keeps the compaction, if the model has answered the
 * shorter messages before.
 */
async function sendFullMessages(
	host: Host,
	pending: PendingRequest,
	fullMessages: readonly BlockMessage[],
	conversations: Conversations,
): Promise<FetchResult | undefined> {
	const { state } = pending;
	const answer = await sendTwice(pending, fullMessages);
	const isRefused = isRefusal(answer);
	if (!isRefused && answer.value?.ok !== true) return answer;
	if (!isRefused || state.isTrialAnswered) await endTrial(host, state, isRefused, conversations);
	return isRefused ? undefined : answer;
}

/** Ends the trial of a compaction: keeps the compaction, or undoes it and tells the user. */
async function endTrial(
	host: Host,
	state: ConversationState,
	shouldKeep: boolean,
	conversations: Conversations,
): Promise<void> {
	const task = state.conversation.endTrial(shouldKeep);
	const compactionId = await withTimeout(host, 'restoring the conversation', timeoutMs, task).catch(
		(error: unknown) => conversations.warn(host, error),
	);
	if (shouldKeep || compactionId === undefined) return;
	state.restoredId = compactionId;
	showNotice(host, state.sessionId, restoredText);
}

/**
 * Removes cache marks that earlier requests left in `messages`, because a request may have at most four. Keeps those at and
 * after the position of the first mark in `hostMessages`; positions in both lists are counted from the end.
 * @param hostMessages Claude Code's messages of this request
 */
export function dropOldCacheMarks(
	hostMessages: readonly BlockMessage[],
	messages: readonly BlockMessage[],
): BlockMessage[] {
	const firstMarked = hostMessages.findIndex(hasCacheMark);
	const tailLength = firstMarked < 0 ? 0 : hostMessages.length - firstMarked;
	return messages.map((message, index) =>
		index >= messages.length - tailLength || !hasCacheMark(message) ? message : withoutCacheMarks(message),
	);
}

function hasCacheMark({ content }: BlockMessage): boolean {
	return Array.isArray(content) && content.some((block) => isFields(block) && 'cache_control' in block);
}

function withoutCacheMarks(message: BlockMessage): BlockMessage {
	const { content } = message;
	if (!Array.isArray(content)) return message;
	return {
		...message,
		content: content.map((block) => {
			if (!isFields(block)) return block;
			const { cache_control: _, ...rest } = block;
			return rest;
		}),
	};
}

/**
 * Whether the Messages API would accept a list of messages: the list begins with the user, no message is empty, and a message with
 * calls is followed by their results.
 */
export function isAcceptableMessageList(messages: readonly BlockMessage[]): boolean {
	if (messages.find(({ role }) => role !== 'system')?.role !== 'user') return false;
	let openIds: ReadonlySet<string> = new Set();
	for (const { role, content } of messages) {
		if (isEmptyContent(content)) return false;
		if (role === 'system') continue;
		const answeredIds = collectIds(content, 'tool_result', 'tool_use_id');
		if (answeredIds.size !== openIds.size || [...answeredIds].some((id) => !openIds.has(id))) return false;
		openIds = role === 'assistant' ? collectIds(content, 'tool_use', 'id') : new Set();
	}
	return openIds.size === 0;
}

function isEmptyContent(content: unknown): boolean {
	return !(typeof content === 'string' || Array.isArray(content)) || content.length === 0;
}

function collectIds(content: unknown, type: string, name: string): Set<string> {
	if (!Array.isArray(content)) return new Set();
	const blocks = content.filter(isFields).filter((block) => block.type === type);
	return new Set(blocks.map((block) => String(block[name])));
}
