/** Applies contextd's decisions to the messages of each request to the model. */

import type { DecisionReport, View } from '../../kit/conversationTypes.ts';
import type { BlockMessage } from '../../kit/index.ts';
import { isFields } from '../../server/core/shape.ts';
import { type Conversations, createRequestContext, type HeldConversation } from './conversations.ts';
import { type FetchResult, type Host, type HostEvents, type NextHandler, withTimeout } from './host.ts';
import {
	type ConversationRequest,
	isCachedForHour,
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
	const held = await conversations.open(host, request);
	if (await conversations.isOff(host, held)) return sendUnchanged(held, event, next);
	if (request.model !== held.model) Object.assign(held, { model: request.model, answeredTokens: 0 });
	held.isCachedForHour = isCachedForHour(request);
	const own = request.isSummary ? request.messages.slice(0, -1) : request.messages;
	conversations.window ??= (await host.session.usage().catch(() => undefined))?.context.window;
	held.folder ??= await host.session.cwd();
	const context = createRequestContext(request, held.folder, conversations.window);
	const task = chooseMessages(host, held, { raw: own, context }, conversations);
	const { messages, whole } = await withTimeout(host, 'the view', timeoutMs, task).catch(
		(error: unknown): MessagesToSend => {
			conversations.warn(host, error);
			return { messages: own };
		},
	);
	const { hasStatusLine } = conversations;
	if (held.stats && !hasStatusLine && request.agent === undefined) host.ui.status(formatStatus(held.stats));
	const sending = { event, next, request, held };
	if (request.isSummary) return next(withMessages(sending, [...messages, ...request.messages.slice(-1)]));
	if (whole === undefined) return sendTwice(sending, messages);
	const answer = held.isShortened ? undefined : await sendFullMessages(host, sending, whole, conversations);
	if (answer !== undefined) return answer;
	const shorter = await sendTwice(sending, messages);
	if (shorter.value?.ok === true) held.isTrialAnswered = true;
	else if (isRefusal(shorter) && !held.isShortened) await endTrial(host, held, false, conversations);
	return shorter;
}

/** Sends a request unchanged while contextd is off. Forgets the last request, whose figures no longer apply. */
async function sendUnchanged(
	held: HeldConversation,
	event: FetchEvent,
	next: NextHandler<FetchEvent, FetchResult>,
): Promise<FetchResult> {
	Object.assign(held, { last: undefined, stats: undefined });
	return next(event);
}

/** A request of a conversation that is about to be sent to the provider. */
interface PendingRequest {
	event: FetchEvent;
	next: NextHandler<FetchEvent, FetchResult>;
	request: ConversationRequest;
	held: HeldConversation;
}

/** The messages to send, and the full messages to try first while a compaction is on trial. */
type MessagesToSend = Pick<View<BlockMessage>, 'whole'> & { messages: readonly BlockMessage[] };

/** Asks the daemon for decisions and returns the messages to send. */
async function chooseMessages(
	host: Host,
	held: HeldConversation,
	{ raw, context }: NonNullable<HeldConversation['last']>,
	conversations: Conversations,
): Promise<MessagesToSend> {
	const { conversation } = held;
	const { dueCompaction } = held;
	const view = await conversation.view(raw, context);
	const { stats, decision } = view;
	held.last = { raw, context };
	if (stats !== undefined) {
		held.stats = stats;
		conversations.onAnswer();
	}
	if (decision !== undefined) reportDecision(host, held, decision);
	if (dueCompaction === undefined || decision !== undefined) {
		held.dueCompaction = undefined;
		return view;
	}
	held.dueCompaction = undefined;
	const outcome = await conversation.compact(raw, dueCompaction.instructions);
	if (outcome.decision !== undefined) reportDecision(host, held, outcome.decision);
	return conversation.view(raw, context);
}

/** Shows the user a line about a decision in the main conversation. */
function reportDecision(host: Host, held: HeldConversation, decision: DecisionReport): void {
	held.isUndone = false;
	if (!held.sessionId.includes('/')) host.ui.log(describeDecision(decision));
}

/** Returns the event with other messages; the original event if the API would not accept the messages. */
function withMessages({ event, request }: PendingRequest, messages: readonly BlockMessage[]): FetchEvent {
	const own = request.messages;
	const isOwn = messages.length === own.length && messages.every((message, index) => message === own[index]);
	const marked = isOwn ? own : dropOldCacheMarks(own, messages);
	if (isOwn || (isAcceptableMessageList(own) && !isAcceptableMessageList(marked))) return event;
	return { ...event, init: { ...event.init, body: serializeWithMessages(request, marked) } };
}

/** Whether the provider refused a prompt. Judged by the status, because mods cannot read the text of the error. */
function isRefusal({ value }: FetchResult): boolean {
	return value?.status === 400 || value?.status === 413;
}

/** Sends messages. After a refusal, sends them once more unchanged, unless they repeat a refused request. */
async function sendTwice(sending: PendingRequest, messages: readonly BlockMessage[]): Promise<FetchResult> {
	const { next, held } = sending;
	const event = withMessages(sending, messages);
	const { body } = event.init;
	let answer = await next(event);
	if (isRefusal(answer) && held.refusal?.body !== body) answer = await next(event);
	held.refusal = isRefusal(answer) ? { status: answer.value?.status ?? 400, body } : undefined;
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
	sending: PendingRequest,
	whole: readonly BlockMessage[],
	conversations: Conversations,
): Promise<FetchResult | undefined> {
	const { held } = sending;
	const answer = await sendTwice(sending, whole);
	const isRefused = isRefusal(answer);
	if (!isRefused && answer.value?.ok !== true) return answer;
	if (!isRefused || held.isTrialAnswered) await endTrial(host, held, isRefused, conversations);
	return isRefused ? undefined : answer;
}

/** Ends the trial of a compaction: keeps the compaction, or undoes it and tells the user. */
async function endTrial(
	host: Host,
	held: HeldConversation,
	isKept: boolean,
	conversations: Conversations,
): Promise<void> {
	const ended = withTimeout(
		host,
		'restoring the conversation',
		timeoutMs,
		held.conversation.endTrial(isKept),
	);
	const compactionId = await ended.catch((error: unknown) => conversations.warn(host, error));
	if (isKept || compactionId === undefined) return;
	held.restoredId = compactionId;
	conversations.onNotice(host, held.sessionId, restoredText);
}

/**
 * Removes cache marks that earlier requests left in `messages`, because a request may have at most four. Keeps those at and
 * after the position of the first mark in `raw`; positions in both lists are counted from the end.
 * @param raw Claude Code's messages of this request
 */
export function dropOldCacheMarks(
	raw: readonly BlockMessage[],
	messages: readonly BlockMessage[],
): BlockMessage[] {
	const first = raw.findIndex(hasCacheMark);
	const marked = first < 0 ? 0 : raw.length - first;
	return messages.map((message, index) =>
		index >= messages.length - marked || !hasCacheMark(message) ? message : withoutCacheMarks(message),
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
	let open: ReadonlySet<string> = new Set();
	for (const { role, content } of messages) {
		if (isEmpty(content)) return false;
		if (role === 'system') continue;
		const answered = collectIds(content, 'tool_result', 'tool_use_id');
		if (answered.size !== open.size || [...answered].some((id) => !open.has(id))) return false;
		open = role === 'assistant' ? collectIds(content, 'tool_use', 'id') : new Set();
	}
	return open.size === 0;
}

function isEmpty(content: unknown): boolean {
	return !(typeof content === 'string' || Array.isArray(content)) || content.length === 0;
}

function collectIds(content: unknown, type: string, name: string): Set<string> {
	if (!Array.isArray(content)) return new Set();
	const blocks = content.filter(isFields).filter((block) => block.type === type);
	return new Set(blocks.map((block) => String(block[name])));
}
