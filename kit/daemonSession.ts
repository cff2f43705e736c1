/** The daemon's session of a conversation: opens the session and sends the messages that it lacks. */

import { estimateTokens } from '../server/core/measure/text/textCounter.ts';
import type { ChatMessage, Usage } from '../server/protocol/conversation.ts';
import type { SessionChange } from '../server/protocol/session.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import type { ConversationStore } from './conversationStore.ts';
import type { ConversationOptions, RequestContext } from './conversationTypes.ts';
import type { Dialect } from './dialects/dialect.ts';
import {
	countCommonItems,
	createMessageId,
	type IdentifiedList,
	parseChainId,
	parseLocation,
} from './fingerprint.ts';

/** The messages that were sent to the daemon. Plain data, stored as JSON. */
export interface SyncState {
	/** Number of times that the daemon's list was rewound. */
	epoch: number;
	/** The ids of the host's messages that were sent to the daemon, oldest first. */
	told: readonly string[];
	/** Whether the daemon may have more messages than `told` lists, so that everything must be sent again. */
	isUnsure?: true;
}

/** What to send to the daemon now. */
export interface Delta {
	/** Id of the last message that remains (`session/rewind`); empty if all messages are removed, absent if no message is. */
	rewindTo?: string;
	/** New messages in the `contextd` format, with ids. */
	append: ChatMessage[];
	/** The state after the rewind and the new messages. */
	next: SyncState;
}

/** The state of a daemon that has no messages yet. */
export const emptySyncState: SyncState = { epoch: 0, told: [] };

/** Returns the daemon's id of the last message before index `common`; empty if there is none. */
function findLastSyncedId<HostMessage>(
	syncedIds: readonly string[],
	hostMessages: readonly HostMessage[],
	common: number,
	dialect: Dialect<HostMessage>,
): string {
	for (let index = common - 1; index >= 0; index--) {
		const parts = dialect.toNeutral(hostMessages[index] as HostMessage).length;
		if (parts > 0) return createMessageId(syncedIds[index] ?? '', parts - 1);
	}
	return '';
}

/**
 * Returns the difference between the daemon's list and the host's list: a rewind if messages were removed, and the new
 * messages. Empty if the daemon already has the list.
 * @param ids the chain ids of `hostMessages`
 */
export function computeDelta<HostMessage>(
	syncState: SyncState,
	hostMessages: readonly HostMessage[],
	ids: readonly string[],
	dialect: Dialect<HostMessage>,
): Delta {
	const common = countCommonItems(syncState.told.map(parseChainId), ids);
	const isRewound = common < syncState.told.length || syncState.isUnsure === true;
	const epoch = isRewound ? syncState.epoch + 1 : syncState.epoch;
	// The epoch in its id gives a message a new id if it is sent again after a rewind.
	const newIds = ids.slice(common).map((id) => (epoch === 0 ? id : `${id}~${epoch}`));
	const append = hostMessages.slice(common).flatMap((message, index) =>
		dialect.toNeutral(message).map(
			(part, partIndex): ChatMessage => ({
				...part,
				id: createMessageId(newIds[index] ?? '', partIndex),
			}),
		),
	);
	return {
		...(isRewound && { rewindTo: findLastSyncedId(syncState.told, hostMessages, common, dialect) }),
		append,
		next: { epoch, told: [...syncState.told.slice(0, common), ...newIds] },
	};
}

/**
 * Returns the state of a daemon whose session lists these ids. If the ids differ from the known state, a new epoch begins,
 * because a session never uses an id twice, even after a rewind.
 * @param minEpoch greater than all epochs of earlier processes, such as the time in milliseconds
 */
export function resumeState(state: SyncState, listedIds: readonly string[], minEpoch: number): SyncState {
	const firstPartIds = listedIds.filter((id) => parseLocation(id)?.part === 0);
	let matchedCount = 0;
	let end = 0;
	for (const [index, id] of state.told.entries()) {
		// A host's message has no id in the session if the model never sees it.
		if (id !== firstPartIds[matchedCount]) continue;
		matchedCount++;
		end = index + 1;
	}
	if (matchedCount === firstPartIds.length && end === state.told.length && end > 0) return state;
	const syncedIds = [...state.told.slice(0, end), ...firstPartIds.slice(matchedCount)];
	const isUnsure = syncedIds.length === 0 && listedIds.length > 0;
	return {
		epoch: Math.max(state.epoch + 1, minEpoch),
		told: syncedIds,
		...(isUnsure && { isUnsure: true as const }),
	};
}

/**
 * Converts the id of a call to the daemon's id of its result; returns the id unchanged if no call has it.
 * @param syncedIds `told` of the `SyncState` of `hostMessages`
 */
export function findDaemonId<HostMessage>(
	id: string,
	syncedIds: readonly string[],
	hostMessages: readonly HostMessage[],
	dialect: Dialect<HostMessage>,
): string {
	for (const [index, base] of syncedIds.entries()) {
		const message = hostMessages[index];
		if (message === undefined) break;
		const part = dialect.toNeutral(message).findIndex(({ toolCallId }) => toolCallId === id);
		if (part >= 0) return createMessageId(base, part);
	}
	return id;
}

/** The host's messages with their chain ids and the context of the request. */
export interface HostList<HostMessage> extends IdentifiedList<HostMessage> {
	context: RequestContext;
}

/** Usage that a provider reported for an answer. The host's next list will contain the answer. */
interface PendingUsage {
	/** The chain id of the message before the answer. */
	after: string;
	usage: Usage;
}

/** The daemon's session of one conversation. Requests wait at most `timeoutMs` and reject if the daemon cannot be reached. */
export class DaemonSession<HostMessage> {
	readonly #options: ConversationOptions<HostMessage>;
	readonly #store: ConversationStore<HostMessage>;
	/** JSON of the params of `session/open`; empty while the session is not open. */
	#openedWith = '';
	/** JSON of the rest of the request (system prompt, tools) that the daemon received last. */
	#sentRequest = '';
	/** Maximum tokens of a tool result; see the getter. */
	#resultTokens: number;
	#pendingUsage: PendingUsage | undefined;

	constructor(options: ConversationOptions<HostMessage>, store: ConversationStore<HostMessage>) {
		this.#options = options;
		this.#store = store;
		this.#resultTokens = options.rules.tokens;
	}

	/** Maximum tokens of a tool result: the daemon's setting, or the host's rule until the daemon has reported its setting. */
	get resultTokens(): number {
		return this.#resultTokens;
	}

	/** Opens the session if it is not open, and reports a changed context of the list. */
	async open({ context }: HostList<HostMessage>, timeoutMs: number): Promise<void> {
		const { ask, sessionId } = this.#options;
		const { request, ...session } = context;
		await this.#openWith(session, timeoutMs);
		const text = JSON.stringify(request) ?? '';
		if (text === this.#sentRequest) return;
		await ask('session/update', { sessionId, request }, { timeoutMs });
		this.#sentRequest = text;
	}

	/**
	 * Sends the messages that the daemon lacks, after a rewind if earlier messages of the list have changed. Returns the
	 * session's stats after that; undefined if nothing was sent.
	 */
	async sync(list: HostList<HostMessage>, timeoutMs: number): Promise<ContextStats | undefined> {
		try {
			return await this.#send(list, timeoutMs);
		} catch (error) {
			// The daemon may have carried out the request without answering it.
			this.close();
			throw error;
		}
	}

	/** Makes the next `open` open the session again, because another daemon may answer by then. */
	close(): void {
		this.#openedWith = '';
	}

	/** Stores usage for an answer that does not contain it; `after` is the chain id of the message before the answer. */
	setPendingUsage(after: string | undefined, usage: Usage): void {
		this.#pendingUsage = after === undefined ? undefined : { after, usage };
	}

	async #openWith(session: SessionChange, timeoutMs: number): Promise<void> {
		const { ask, sessionId } = this.#options;
		const text = JSON.stringify(session);
		if (text === this.#openedWith) return;
		this.#sentRequest = '';
		const params = { sessionId, ...session };
		const { created, messageCount, agents } = await ask('session/open', params, { timeoutMs });
		if (this.#openedWith === '' || created) await this.#resume(messageCount, timeoutMs);
		this.#resultTokens = agents?.toolResultTokens ?? this.#resultTokens;
		this.#openedWith = text;
	}

	/**
	 * Adopts the list of the daemon's session. The session has fewer messages than were sent if its storage was deleted. It has
	 * more messages or another branch if an answer came too late or was not saved before the process ended.
	 */
	async #resume(messageCount: number, timeoutMs: number): Promise<void> {
		const { ask, sessionId, clock } = this.#options;
		const { feed } = this.#store.stored;
		if (messageCount === 0 && feed.told.length === 0) return;
		const listedIds =
			messageCount === 0 ? [] : (await ask('session/messageIds', { sessionId }, { timeoutMs })).messageIds;
		this.#store.update({ feed: resumeState(feed, listedIds, Math.round(clock.now())) });
	}

	async #send(list: HostList<HostMessage>, timeoutMs: number): Promise<ContextStats | undefined> {
		const { ask, sessionId, dialect } = this.#options;
		const { stored } = this.#store;
		const { hostMessages, ids } = list;
		const { rewindTo, append, next } = computeDelta(stored.feed, hostMessages, ids, dialect);
		if (rewindTo !== undefined)
			await ask('session/rewind', { sessionId, messageId: rewindTo }, { timeoutMs });
		let stats: ContextStats | null | undefined;
		if (append.length > 0) {
			const before = new Map(next.told.map((base, index) => [base, ids[index - 1] ?? '']));
			const messages = append.map((message) =>
				this.#toDaemonMessage(message, before.get(message.id ?? '') ?? ''),
			);
			const revision = stored.sent?.revision;
			const params = { sessionId, messages, stats: true, ...(revision !== undefined && { revision }) };
			({ stats } = await ask('session/append', params, { timeoutMs }));
		}
		this.#store.update({ feed: next });
		return stats ?? undefined;
	}

	/** Returns a message in the form for the daemon: a result has its full text, and the tokens of the text that was sent. */
	#toDaemonMessage(message: ChatMessage, before: string): ChatMessage {
		const { held, sent, step } = this.#store.stored;
		const { text, units = 0 } = held.results[message.toolCallId ?? ''] ?? {};
		if (message.role === 'tool' && text !== undefined && text.length < units)
			return { ...message, tokens: estimateTokens(text), hasEstimatedTokens: true };
		if (message.role !== 'assistant') return message;
		const { usage: ownUsage, ...answer } = message;
		const isForCurrentView = sent?.after === before && sent.step === step;
		const pending = this.#pendingUsage;
		const usage = ownUsage ?? (pending?.after === before ? pending.usage : undefined);
		// Usage of an answer to another view does not measure the current one.
		return isForCurrentView && usage !== undefined ? { ...answer, usage } : answer;
	}
}
