/** The state of a conversation, in memory and across processes. */

import { errorText } from '../server/core/failure.ts';
import { isFields, isJson } from '../server/core/shape.ts';
import type { ConversationOptions } from './conversationTypes.ts';
import { emptySyncState, type HostList, type SyncState } from './daemonSession.ts';
import { createMessageId } from './fingerprint.ts';
import { createEmptyView, type HeldResult, type HeldView } from './heldView.ts';
import { timeouts } from './timeouts.ts';

/** A compaction that followed a refused request, on trial until the provider answers the full list. Plain data. */
export interface RecoveryTrial {
	compactionId: string;
	/** Warnings for the user if the full list is refused again. */
	warnings: readonly string[];
}

/** The state of a conversation. Plain data, stored as JSON: its members must keep their names. */
export interface StoredConversation<HostMessage> {
	held: HeldView<HostMessage>;
	feed: SyncState;
	/** The newest step of the daemon that the view includes, in the form of `describeNewestStep`. */
	step: string;
	/** The newest step that was shown to the user; absent if none was. */
	saidAt?: string;
	/**
	 * The last request to the model: the chain id of its last message (`after`), the step that applied, and the revision of the
	 * daemon's history if it is known. Absent if no request was sent.
	 */
	sent?: { after: string; step: string; revision?: number };
	/** Used share of the limit: the daemon's last figure plus an estimate for later messages; absent before its first answer. */
	ratio?: number;
	/** Share of the limit at which a compaction is due, by the daemon's last answer; absent if the daemon never answered. */
	due?: number;
	/** The compaction that is on trial; absent if there is none. */
	trial?: RecoveryTrial;
	/** Whether the user turned contextd off for this session. */
	isOff?: true;
	/** The highest usage level that was announced to the model, in percent. */
	reached: number;
}

/** Returns the state of a new conversation. */
export function createEmptyConversation<HostMessage>(): StoredConversation<HostMessage> {
	return { held: createEmptyView(), feed: emptySyncState, step: '', reached: 0 };
}

/**
 * Returns the state as text. Members that seldom change come first, so that consecutive texts share a long prefix. Texts of
 * results that were sent unchanged are omitted: the host and the daemon's journal have them.
 */
export function serializeConversation<HostMessage>({
	held,
	...others
}: StoredConversation<HostMessage>): string {
	const { version, decisions, results, ...lists } = held;
	const storedResults = Object.entries(results).map(([callId, result]) => [
		callId,
		result.text?.length === result.units ? { units: result.units } : result,
	]);
	return JSON.stringify({
		held: { version, decisions, results: Object.fromEntries(storedResults), ...lists },
		...others,
	});
}

/** Maximum number of chain ids that `session/holdView` accepts as marks of a stored view. */
const maxMarks = 64;

/** Returns chain ids of the messages on which the view depends. A conversation with one of these messages may inherit the view. */
export function listViewDependencies<HostMessage>({ held }: StoredConversation<HostMessage>): string[] {
	const { decisions, notes, known } = held;
	const marks = [...Object.keys(notes), ...decisions.map(({ upTo }) => upTo), ...known.slice(-1)];
	return [...new Set(marks)].slice(-maxMarks);
}

/** Parses a stored state; returns an empty one if the text is missing, damaged or of another version. */
export function parseConversation<HostMessage>(text: string | undefined): StoredConversation<HostMessage> {
	if (text === undefined || !isJson(text)) return createEmptyConversation();
	const stored: unknown = JSON.parse(text);
	const isValid =
		isFields(stored) && isFields(stored.held) && stored.held.version === 1 && isFields(stored.feed);
	return isValid ? (stored as unknown as StoredConversation<HostMessage>) : createEmptyConversation();
}

/** Maximum milliseconds that a change remains unsaved if the daemon's session contains it too. */
const maxUnsavedMs = 1000;

/** Reads and writes the stored state of one conversation. */
export class ConversationStore<HostMessage> {
	readonly #options: ConversationOptions<HostMessage>;
	#stored: StoredConversation<HostMessage> = createEmptyConversation();
	/** The text that is on disk. */
	#savedText = '';
	#writing: Promise<void> = Promise.resolve();
	/** Time of the last write in the background, in milliseconds by the port's clock. */
	#savedAt = Number.NEGATIVE_INFINITY;
	#loading: Promise<void> | undefined;
	#hasLoadedList = false;

	constructor(options: ConversationOptions<HostMessage>) {
		this.#options = options;
	}

	/** The current state. Only `update` and `remove` change it. */
	get stored(): StoredConversation<HostMessage> {
		return this.#stored;
	}

	/** Replaces members of the state. */
	update(change: Partial<StoredConversation<HostMessage>>): void {
		this.#stored = { ...this.#stored, ...change };
	}

	/** Removes optional members from the state. */
	remove(...members: ('trial' | 'sent' | 'saidAt' | 'isOff')[]): void {
		const stored = { ...this.#stored };
		for (const member of members) delete stored[member];
		this.#stored = stored;
	}

	/**
	 * Reads the state that an earlier process stored, once. The first call with a list also restores the texts of results
	 * that the host has cleared from the list. If nothing was stored and this conversation is a fork, its parent's state is
	 * inherited.
	 */
	async load(list?: HostList<HostMessage>): Promise<void> {
		const { sessionId, store, rules } = this.#options;
		this.#loading ??= this.#warnOnError('read', async () => {
			this.#savedText = (await store.load(sessionId)) ?? '';
			this.#stored = parseConversation(this.#savedText);
		});
		await this.#loading;
		if (this.#hasLoadedList || list === undefined) return;
		this.#hasLoadedList = true;
		await this.#warnOnError('inherited', () => this.#inherit(list));
		if (!rules.isClearedByHost) return;
		await this.#warnOnError('read', async () => {
			this.update({ held: await restoreResultTexts(this.#stored, list.hostMessages, this.#options) });
		});
	}

	/** Writes the state in the background, at most once a second. */
	saveSometimes(): void {
		const now = this.#options.clock.now();
		if (Math.abs(now - this.#savedAt) < maxUnsavedMs) return;
		this.#savedAt = now;
		void this.save();
	}

	/** Writes the state if it has changed. Never rejects: a disk error becomes a warning, and the state in memory remains valid. */
	save(): Promise<void> {
		const stored = this.#stored;
		const { sessionId, store } = this.#options;
		this.#writing = this.#writing.then(async () => {
			const text = serializeConversation(stored);
			if (text === this.#savedText) return;
			await this.#warnOnError('stored', async () => {
				await store.save(sessionId, text, listViewDependencies(stored));
				this.#savedText = text;
			});
		});
		return this.#writing;
	}

	async #warnOnError(action: string, task: () => Promise<void>): Promise<void> {
		try {
			await task();
		} catch (error) {
			const { sessionId, onWarning } = this.#options;
			onWarning?.(`the view of ${sessionId} cannot be ${action}: ${errorText(error)}`);
		}
	}

	/** Copies the state of the parent if this conversation is a fork. Turning contextd off applies to one session and is not inherited. */
	async #inherit({ hostMessages, ids, context }: HostList<HostMessage>): Promise<void> {
		// The first list of a fork already contains an answer. A conversation that begins with a single prompt has no parent.
		if (this.#stored.held.known.length > 0 || hostMessages.length < 2) return;
		const { sessionId, store } = this.#options;
		const text = await store.inherit?.(sessionId, context.workspace, ids);
		if (text === undefined) return;
		this.#stored = parseConversation(text);
		this.remove('isOff');
	}
}

/**
 * Adds the texts of results that were sent unchanged, which a stored view omits. Reads each text from the host's list, or from
 * the daemon if the host has cleared it.
 */
async function restoreResultTexts<HostMessage>(
	{ held, feed }: StoredConversation<HostMessage>,
	hostMessages: readonly HostMessage[],
	{ sessionId, ask, dialect }: ConversationOptions<HostMessage>,
): Promise<HeldView<HostMessage>> {
	const results: Record<string, HeldResult> = { ...held.results };
	for (const [index, message] of hostMessages.entries()) {
		for (const { callId, text } of dialect.listResults(message)) {
			const heldResult = results[callId];
			if (heldResult === undefined || heldResult.text !== undefined || text.length > heldResult.units)
				continue;
			if (text.length === heldResult.units) {
				results[callId] = { ...heldResult, text };
				continue;
			}
			const part = dialect.toNeutral(message).findIndex(({ toolCallId }) => toolCallId === callId);
			const params = {
				sessionId,
				messageId: createMessageId(feed.told[index] ?? '', part),
				limit: heldResult.units,
			};
			const { content } = await ask('context/original', params, { timeoutMs: timeouts.replay });
			if (content.length === heldResult.units) results[callId] = { ...heldResult, text: content };
		}
	}
	return { ...held, results };
}
