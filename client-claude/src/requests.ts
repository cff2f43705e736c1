/** Lays what contextd decided over the messages of each request to the model. */

import type { BlockMessage } from '../../kit/index.ts';
import type { DecisionTold } from '../../kit/shapes.ts';
import { withMarksOf } from './cacheMarks.ts';
import { aroundOf, type Conversations, type HeldConversation } from './conversations.ts';
import { within } from './deadline.ts';
import { isDueWhenCold } from './early.ts';
import type { Events, FetchResult, Host, Next } from './host.ts';
import { bodyWith, type ConversationRequest, readRequest } from './modelRequest.ts';
import { isSound } from './sound.ts';
import { decidedWords, statusWords } from './words.ts';

/** How often room is made for one request that the provider refuses. */
const mostRecoveries = 2;
/** Milliseconds that a request waits for all that is asked of the daemon; some less than Claude Code waits for a hook. */
const patienceMs = 8000;

type FetchEvent = Events['http.fetch']['event'];

/** Sends a request on, with the view in place of its messages where it goes on with a conversation. */
export async function sendWithView(
	host: Host,
	event: FetchEvent,
	next: Next<FetchEvent, FetchResult>,
	conversations: Conversations,
): Promise<FetchResult> {
	const request = readRequest(event.url, event.init);
	if (request === undefined) return next(event);
	const held = await conversations.of(host, request);
	if (request.model !== held.model) Object.assign(held, { model: request.model, answered: 0 });
	const own = request.isSummary ? request.messages.slice(0, -1) : request.messages;
	conversations.window ??= (await host.session.usage().catch(() => undefined))?.context.window;
	held.folder ??= await host.session.cwd();
	const around = aroundOf(request, held.folder, conversations.window);
	const messages = await within(host, 'the view', patienceMs, laid(host, held, own, around)).catch(
		(error: unknown) => {
			conversations.onAside(host, error instanceof Error ? error.message : String(error));
			return own;
		},
	);
	if (held.stats !== undefined && request.agent === undefined) host.ui.status(statusWords(held.stats));
	const order = request.isSummary ? request.messages.slice(-1) : [];
	const answer = await send(event, next, request, [...messages, ...order]);
	if (request.isSummary || !isRefusal(answer)) return answer;
	return recovered(host, event, next, request, held, conversations, answer);
}

/** The messages to send: those that the daemon's decisions leave. */
async function laid(
	host: Host,
	held: HeldConversation,
	raw: readonly BlockMessage[],
	around: NonNullable<HeldConversation['last']>['around'],
): Promise<readonly BlockMessage[]> {
	const { conversation } = held;
	if (held.last === undefined && (await isDueWhenCold(host, held, Date.now()))) held.isDue ??= {};
	const { isDue } = held;
	const { messages, stats, decision } = await conversation.view(raw, around);
	held.last = { raw, around };
	if (stats !== undefined) held.stats = stats;
	if (decision !== undefined) decided(host, held, decision);
	if (isDue === undefined || decision !== undefined) {
		held.isDue = undefined;
		return messages;
	}
	held.isDue = undefined;
	const outcome = await conversation.compact(raw, isDue.instructions);
	if (outcome.decision !== undefined) decided(host, held, outcome.decision);
	return (await conversation.view(raw, around)).messages;
}

/** Says, once a decision, what was decided on the way. */
function decided(host: Host, held: HeldConversation, decision: DecisionTold): void {
	held.isUndone = false;
	if (!held.sessionId.includes('/')) host.ui.log(decidedWords(decision));
}

/** Sends messages in place of Claude Code's own; its own where they are not fit to be sent. */
function send(
	event: FetchEvent,
	next: Next<FetchEvent, FetchResult>,
	request: ConversationRequest,
	messages: readonly BlockMessage[],
): Promise<FetchResult> {
	const own = request.messages;
	const isOwn = messages.length === own.length && messages.every((message, index) => message === own[index]);
	const marked = isOwn ? own : withMarksOf(own, messages);
	if (isOwn || (isSound(own) && !isSound(marked))) return next(event);
	return next({ ...event, init: { ...event.init, body: bodyWith(request, marked) } });
}

/** The statuses by which a provider says that a prompt is too long; the words beside them are not shown to mods. */
function isRefusal({ value }: FetchResult): boolean {
	return value?.status === 400 || value?.status === 413;
}

/** Makes room and sends again, within the same request. */
async function recovered(
	host: Host,
	event: FetchEvent,
	next: Next<FetchEvent, FetchResult>,
	request: ConversationRequest,
	held: HeldConversation,
	conversations: Conversations,
	refusal: FetchResult,
): Promise<FetchResult> {
	let answer = refusal;
	let decisions = 0;
	const { last } = held;
	for (let attempt = 1; attempt <= mostRecoveries && last !== undefined; attempt++) {
		const work = roomFor(held, last);
		const messages = await within(host, 'making room', patienceMs, work).catch(() => undefined);
		if (messages === undefined) break;
		decisions++;
		answer = await send(event, next, request, messages);
		if (!isRefusal(answer)) return answer;
	}
	held.isRefused = true;
	await takenBack(host, held, decisions).catch((error: unknown) =>
		conversations.onAside(host, error instanceof Error ? error.message : String(error)),
	);
	return answer;
}

/** Takes back room that was made in vain: a prompt smaller than one that was answered was refused for something else. */
async function takenBack(host: Host, held: HeldConversation, decisions: number): Promise<void> {
	if (decisions === 0) return;
	const { ask, sessionId, conversation, answered, last } = held;
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: patienceMs });
	if (stats === null || stats.estimatedInputTokens >= answered) return;
	held.inVain = stats.lastCompaction?.compactionId;
	// The daemon took the refusal for the proof of a smaller window, in which what is taken back would have no room.
	const { contextWindow } = last?.around ?? {};
	await ask('session/update', { sessionId, contextWindow }, { timeoutMs: patienceMs });
	await within(host, 'taking back what was decided in vain', patienceMs, conversation.undo(decisions));
}

/** Has the daemon make room for the messages that were refused. */
async function roomFor(
	{ ask, sessionId, conversation, answered }: HeldConversation,
	{ raw, around }: NonNullable<HeldConversation['last']>,
): Promise<BlockMessage[] | undefined> {
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: patienceMs });
	return conversation.recover(refusal(stats?.estimatedInputTokens ?? 0, answered), raw, around);
}

/** Of what was counted and refused, the share that is taken for the limit where nothing else tells it. */
const presumed = 0.8;

/**
 * The refusal in the words of the API, whose own are not shown to mods: what was counted, and what is known to be taken.
 * @param sent tokens that were counted of what was refused
 * @param answered tokens of the largest prompt that was answered
 */
function refusal(sent: number, answered: number): { status: number; message: string } {
	const limit = answered > 0 && answered < sent ? answered : Math.floor(presumed * sent);
	return { status: 400, message: `prompt is too long: ${sent} tokens > ${limit} maximum` };
}
