/** The daemon's session of a conversation: opened as the host is, and told what it does not know yet. */

import { estimateTokens } from '../server/core/output/truncateToTokens.ts';
import type { ChatMessage, Usage } from '../server/protocol/conversation.ts';
import type { SessionChange } from '../server/protocol/session.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import { feedFor, resumedFeed } from './feed.ts';
import type { Keeper } from './keeper.ts';
import type { ConversationOptions, Surroundings } from './shapes.ts';

/** A list of the host, with the chain ids of its messages and what surrounds it. */
export interface HostList<Native> {
	raw: readonly Native[];
	ids: readonly string[];
	around: Surroundings;
}

/** Figures of an answer that the host will show with its next list. */
interface Pending {
	/** The chain id of the message before the answer. */
	after: string;
	usage: Usage;
}

/** A session of the daemon; what is asked of it waits at most `timeoutMs`, and rejects where the daemon is away. */
export interface FedSession<Native> {
	/** Opens it, or says what has changed around the list. */
	open(list: HostList<Native>, timeoutMs: number): Promise<void>;
	/**
	 * Sends the messages of the list that the daemon lacks, after a rewind if the list is another one. Returns the
	 * figures afterwards, unless nothing was sent.
	 */
	feed(list: HostList<Native>, timeoutMs: number): Promise<ContextStats | undefined>;
	/** It has to be opened anew: the daemon may be another one. */
	close(): void;
	/** Takes the figures of an answer that does not state them itself, by the chain id of the message before it. */
	report(after: string | undefined, usage: Usage): void;
	/** Tokens that a result may have, as the daemon's settings or else the host's rules say. */
	resultTokens(): number;
}

/** A session that is not opened yet. */
export function createFedSession<Native>(
	{ sessionId, dialect, ask, clock, rules }: ConversationOptions<Native>,
	kept: Keeper<Native>,
): FedSession<Native> {
	/** What was said of the session when it was opened; empty while it is not. */
	let opened = '';
	/** JSON of what goes with the messages, as the daemon received it last. */
	let besideTold = '';
	/** What is set for plugins, once the daemon has told it. */
	let resultTokens = rules.tokens;
	let pending: Pending | undefined;

	async function open({ around }: HostList<Native>, timeoutMs: number): Promise<void> {
		const { request, ...session } = around;
		await openAs(session, timeoutMs);
		const beside = JSON.stringify(request) ?? '';
		if (beside === besideTold) return;
		await ask('session/update', { sessionId, request }, { timeoutMs });
		besideTold = beside;
	}

	async function openAs(session: SessionChange, timeoutMs: number): Promise<void> {
		const said = JSON.stringify(session);
		if (said === opened) return;
		besideTold = '';
		const { created, messageCount, agents } = await ask(
			'session/open',
			{ sessionId, ...session },
			{ timeoutMs },
		);
		if (opened === '' || created) await resume(messageCount, timeoutMs);
		resultTokens = agents?.toolResultTokens ?? resultTokens;
		opened = said;
	}

	/**
	 * Takes over what the daemon's session holds. It may hold less than it was sent if its storage was deleted, and more or
	 * another branch if the answer to a rewind or an append came too late, or was not saved before the process ended.
	 */
	async function resume(messageCount: number, timeoutMs: number): Promise<void> {
		const { feed } = kept.stored;
		if (messageCount === 0 && feed.told.length === 0) return;
		const listed =
			messageCount === 0 ? [] : (await ask('session/messageIds', { sessionId }, { timeoutMs })).messageIds;
		kept.stored = { ...kept.stored, feed: resumedFeed(feed, listed, Math.round(clock.now())) };
	}

	/** A message as it is told: a result in full, with the tokens of what the model is shown of it. */
	function told(message: ChatMessage, before: string): ChatMessage {
		const { text, units = 0 } = kept.stored.held.results[message.toolCallId ?? ''] ?? {};
		if (message.role === 'tool' && text !== undefined && text.length < units) {
			return { ...message, tokens: estimateTokens(text) };
		}
		if (message.role !== 'assistant') return message;
		const { usage: own, ...answer } = message;
		const isOfView = kept.stored.sent?.after === before && kept.stored.sent.step === kept.stored.step;
		const usage = own ?? (pending?.after === before ? pending.usage : undefined);
		// Figures of an answer to another view measure nothing that is shown now.
		return isOfView && usage !== undefined ? { ...answer, usage } : answer;
	}

	async function feed(list: HostList<Native>, timeoutMs: number): Promise<ContextStats | undefined> {
		try {
			return await send(list, timeoutMs);
		} catch (error) {
			// The daemon may have done what it did not answer.
			opened = '';
			throw error;
		}
	}

	async function send({ raw, ids }: HostList<Native>, timeoutMs: number): Promise<ContextStats | undefined> {
		const { rewindTo, append, next } = feedFor(kept.stored.feed, raw, ids, dialect);
		if (rewindTo !== undefined) {
			await ask('session/rewind', { sessionId, messageId: rewindTo }, { timeoutMs });
		}
		let stats: ContextStats | null | undefined;
		if (append.length > 0) {
			const before = new Map(next.told.map((base, index) => [base, ids[index - 1] ?? '']));
			const messages = append.map((message) => told(message, before.get(message.id ?? '') ?? ''));
			const revision = kept.stored.sent?.revision;
			const params = { sessionId, messages, stats: true, ...(revision !== undefined && { revision }) };
			({ stats } = await ask('session/append', params, { timeoutMs }));
		}
		kept.stored = { ...kept.stored, feed: next };
		return stats ?? undefined;
	}

	return {
		open,
		feed,
		close() {
			opened = '';
		},
		report(after, usage) {
			pending = after === undefined ? undefined : { after, usage };
		},
		resultTokens: () => resultTokens,
	};
}
