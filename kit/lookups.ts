/** What tools and commands of plugins say, as text. */

import type { ContextStats } from '../server/protocol/stats.ts';
import { deadlines } from './patience.ts';
import type { Ask } from './ports.ts';
import type { Conversation } from './shapes.ts';

/** A session, and how it is asked about. */
export interface Asked<Native> {
	sessionId: string;
	ask: Ask;
	conversation: Conversation<Native>;
}

/** UTF-16 units of an original that are given at once. */
const mostUnits = 20_000;
const mostMatches = 8;
const timeoutMs = deadlines.decision;

function figure(tokens: number): string {
	return tokens.toLocaleString('en-US');
}

async function original<Native>(
	{ sessionId, ask }: Asked<Native>,
	messageId: string,
	offset: number,
): Promise<string> {
	const { content, totalChars, hasMore } = await ask(
		'context/original',
		{ sessionId, messageId, offset, limit: mostUnits },
		{ timeoutMs },
	);
	if (!hasMore) return content;
	return `${content}\n[${offset + content.length} of ${totalChars} characters; ask again with offset ${offset + content.length}]`;
}

/**
 * What a model asks of the conversation's past: the whole of a message or result, by its id, or the messages in which
 * some words stand.
 * @param offset UTF-16 units from the start of a whole
 */
export async function recallText<Native>(asked: Asked<Native>, query: string, offset = 0): Promise<string> {
	const { sessionId, ask, conversation } = asked;
	const words = query.trim();
	if (!/\s/.test(words)) {
		const messageId = conversation.daemonId(words);
		try {
			return await original(asked, messageId, offset);
		} catch (error) {
			// A single word is an id only where there is such a message.
			if (!(error instanceof Error && 'kind' in error && error.kind === 'MessageNotFound')) throw error;
		}
	}
	const { matches, total } = await ask(
		'context/recall',
		{ sessionId, query: words, limit: mostMatches },
		{ timeoutMs },
	);
	if (matches.length === 0) return `Nothing in this session holds "${words}".`;
	const found = matches.map(({ messageId, role, toolName, excerpt }) => {
		const who = toolName === undefined ? role : `${role}, ${toolName}`;
		return `[${messageId}] (${who}) ${excerpt}`;
	});
	return [
		`${matches.length} of ${total} messages; contextd_recall with an id gives the whole:`,
		...found,
	].join('\n');
}

function statsLines(stats: ContextStats): string[] {
	const { estimatedInputTokens, availableInputTokens, usageRatio, breakdown, history, largest } = stats;
	const rows = Object.entries({ ...breakdown, conversationHistory: 0, ...history })
		.filter(([, tokens]) => tokens > 0)
		.sort(([, left], [, right]) => right - left)
		.map(([name, tokens]) => `${name} ${figure(tokens)}`);
	const top = largest
		.slice(0, 5)
		.map(({ messageId, role, toolName, tokens }) => `${toolName ?? role} ${figure(tokens)} (${messageId})`);
	return [
		`${figure(estimatedInputTokens)} of ${figure(availableInputTokens)} tokens (${Math.round(usageRatio * 100)}%), ${stats.state}`,
		`by kind: ${rows.join(', ')}`,
		...(top.length > 0 ? [`largest: ${top.join(', ')}`] : []),
	];
}

/** How full the window is, and what was made room for last. */
export async function statsText<Native>({ sessionId, ask }: Asked<Native>): Promise<string> {
	const stats = await ask('context/stats', { sessionId }, { timeoutMs });
	if (stats === null) return 'contextd knows nothing of this session yet.';
	const last = stats.lastCompaction;
	const receipt = last
		? `last decision: ${figure(last.tokensBefore)} → ${figure(last.tokensAfter)} tokens${last.undone ? ', taken back' : ''}`
		: 'nothing was shortened yet';
	return [...statsLines(stats), receipt].join('\n');
}

/** Keeps the message verbatim in which some words stand. */
export async function pinText<Native>({ sessionId, ask }: Asked<Native>, words: string): Promise<string> {
	const query = words.trim();
	if (query === '') return 'Say which words the message holds: /contextd-pin WORDS';
	const { matches } = await ask('context/recall', { sessionId, query, limit: 1 }, { timeoutMs });
	const [match] = matches;
	if (match === undefined) return `Nothing in this session holds "${query}".`;
	await ask('context/pin', { sessionId, messageIds: [match.messageId], pinned: true }, { timeoutMs });
	return `Pinned, and kept word for word from now on: (${match.role}) ${match.excerpt}`;
}
