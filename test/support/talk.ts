/** Messages and requests that many tests send. */

import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { contextHistory } from '../../server/protocol/history.ts';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { type ContextStats, contextStats } from '../../server/protocol/stats.ts';
import type { Client } from './client.ts';
import { assistantSays, userSays } from './messages.ts';

/** Returns a conversation of `messages` messages, each with about `words` words. */
export function conversation(messages: number, words = 40): ChatMessage[] {
	const text = (index: number): string => `turn ${index} ${'lorem ipsum '.repeat(words / 2)}end`;
	return Array.from({ length: messages }, (_, index) =>
		index % 2 === 0 ? userSays(text(index)) : assistantSays(text(index)),
	);
}

/** Opens a session and appends to it. */
export async function begin(
	client: Client,
	sessionId: string,
	messages: unknown[] = [],
	about: Record<string, unknown> = {},
): Promise<string[]> {
	await client.ask(sessionOpen, { sessionId, provider: 'anthropic', model: 'claude-sonnet-4', ...about });
	if (messages.length === 0) return [];
	return (await client.ask(sessionAppend, { sessionId, messages })).messageIds;
}

/** Returns a function that begins a new session and returns its id. */
export function sessionMaker(client: Client, prefix: string) {
	let last = 0;
	return async (messages: unknown[], about: Record<string, unknown> = {}): Promise<string> => {
		const id = `${prefix}-${last++}`;
		await begin(client, id, messages, about);
		return id;
	};
}

/** Returns the stats of a session that has messages. */
export async function statsIn(
	client: Client,
	sessionId: string,
	over: Record<string, unknown> = {},
): Promise<ContextStats> {
	const stats = await client.ask(contextStats, { sessionId, ...over });
	if (!stats) throw new Error(`session ${sessionId} has no messages`);
	return stats;
}

/** Returns the visible history of a session. */
export async function historyIn(client: Client, sessionId: string): Promise<unknown[]> {
	return (await client.ask(contextHistory, { sessionId })).messages;
}

/** Returns JSON with `levels` levels of arrays. */
export function nested(levels: number): string {
	return '['.repeat(levels) + ']'.repeat(levels);
}
