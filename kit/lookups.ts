/** What tools and commands of plugins say, as text. */

import { heldBackText, rewriteText } from '../server/core/cost/compactionCost.ts';
import { shortTokens, toWholeRequest } from '../server/core/meter/wholeRequest.ts';
import type { LoggedCompaction } from '../server/protocol/compaction.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import { deadlines } from './patience.ts';
import type { Ask, ResultOf } from './ports.ts';
import { ownTool } from './results.ts';
import type { Conversation } from './shapes.ts';
import { offText } from './words.ts';

/** A session, and how it is asked about. */
export interface Asked<Native> {
	sessionId: string;
	ask: Ask;
	conversation: Conversation<Native>;
}

/** UTF-16 units of an original that are given at once. */
const mostUnits = 20_000;
const mostMatches = 8;
/** A call of a tool of plugins that nothing was said before. */
const ownCall = /^\S*contextd_(?:recall|stats) \{/;
/** Messages that are named of a decision. */
const mostRemoved = 5;
const timeoutMs = deadlines.decision;

function figure(tokens: number): string {
	return tokens.toLocaleString('en-US');
}

/** The messages in which some words stand, the best first; earlier lookups of them, and what these said, are none. */
async function matching<Native>(
	{ sessionId, ask }: Pick<Asked<Native>, 'sessionId' | 'ask'>,
	query: string,
): Promise<ResultOf<'context/recall'>> {
	const { matches, total } = await ask(
		'context/recall',
		{ sessionId, query, limit: 2 * mostMatches },
		{ timeoutMs },
	);
	const others = matches.filter(
		({ toolName = '', excerpt }) => !ownTool.test(toolName) && !ownCall.test(excerpt),
	);
	return { matches: others.slice(0, mostMatches), total: total - (matches.length - others.length) };
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
 * some words stand. Undefined where there is nothing of it.
 * @param words without blanks around them, and not empty
 * @param offset UTF-16 units from the start of a whole
 */
export async function recalled<Native>(
	asked: Asked<Native>,
	words: string,
	offset = 0,
): Promise<string | undefined> {
	const { conversation } = asked;
	await conversation.tell();
	if (!/\s/.test(words)) {
		const messageId = conversation.daemonId(words);
		try {
			return await original(asked, messageId, offset);
		} catch (error) {
			// A single word is an id only where there is such a message.
			if (!(error instanceof Error && 'kind' in error && error.kind === 'MessageNotFound')) throw error;
		}
	}
	const { matches, total } = await matching(asked, words);
	if (matches.length === 0) return undefined;
	const found = matches.map(({ messageId, role, toolName, excerpt }) => {
		const who = toolName === undefined ? role : `${role}, ${toolName}`;
		return `[${messageId}] (${who}) ${excerpt}`;
	});
	return [
		`${matches.length} of ${total} messages; contextd_recall with an id gives the whole:`,
		...found,
	].join('\n');
}

/** The same as a model reads it, of one session or of some that belong together; the first one is asked first. */
export async function recallText<Native>(
	asked: Asked<Native> | readonly [Asked<Native>, ...Asked<Native>[]],
	query: string,
	offset = 0,
): Promise<string> {
	const words = query.trim();
	if (words === '') return 'Give an id that a placeholder names, or some words.';
	const found: string[] = [];
	for (const one of [asked].flat() as Asked<Native>[]) {
		const text = await recalled(one, words, offset);
		if (text !== undefined) found.push(text);
	}
	return found.length > 0 ? found.join('\n\n') : `Nothing in this session holds "${words}".`;
}

/** The name of a figure in plain words: `toolResults` is `tool results`. */
function plain(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Who makes room, and at how many tokens; the state if nobody does. */
function dueText(stats: ContextStats): string {
	const { limit, availableInputTokens, thresholds, state, agent, isHeldBack } = stats;
	if (limit.compacts === 'nobody') return state;
	if (limit.compacts === 'agent')
		return `${agent ?? 'the agent'} compacts at ${shortTokens(availableInputTokens)}`;
	const due = shortTokens(thresholds.compact * availableInputTokens);
	return isHeldBack ? `compacts at ${due} (${heldBackText})` : `compacts at ${due}`;
}

function statsLines(stats: ContextStats): string[] {
	const { estimatedInputTokens, availableInputTokens, usageRatio, breakdown, history, largest } = stats;
	const rows = Object.entries({ ...breakdown, conversationHistory: 0, ...history })
		.filter(([, tokens]) => tokens > 0)
		.sort(([, left], [, right]) => right - left)
		.map(([name, tokens]) => `  ${plain(name).padEnd(18)}${figure(tokens).padStart(9)}`);
	const top = largest
		.slice(0, 5)
		.map(({ messageId, role, toolName, tokens }) => `${toolName ?? role} ${figure(tokens)} (${messageId})`);
	return [
		`${figure(estimatedInputTokens)} of ${figure(availableInputTokens)} tokens (${Math.round(usageRatio * 100)}%), ${dueText(stats)}`,
		...rows,
		...(top.length > 0 ? [`largest: ${top.join(', ')}`] : []),
	];
}

/** Who reads a text: it names the tool of a model, or the command of a person. */
export type Reader = 'model' | 'person';

/** How a reader gets the whole of a message whose id they know. */
function recallHint(reader: Reader, sessionId: string): string {
	return reader === 'model'
		? 'contextd_recall with an id gives the whole'
		: `in a terminal: contextd recall ID --session ${sessionId}`;
}

/** A decision, and what it removed or shortened, the largest first. */
function receiptLines(
	{ tokensBefore, tokensAfter, undone, removed, cache }: LoggedCompaction,
	undoCommand: string | undefined,
	hint: string,
): string[] {
	const figures = `last decision: ${figure(tokensBefore)} → ${figure(tokensAfter)} tokens`;
	if (undone) return [`${figures}, undone`];
	const largest = removed.toSorted((left, right) => right.tokens - left.tokens).slice(0, mostRemoved);
	const names = largest.map(
		({ messageId, role, toolName, tokens }) => `${toolName ?? role} ${figure(tokens)} (${messageId})`,
	);
	const more = removed.length - largest.length;
	const rewrite = rewriteText(cache, figure);
	return [
		undoCommand === undefined ? figures : `${figures}; undo: ${undoCommand}`,
		...(rewrite === undefined ? [] : [`cache: ${rewrite}`]),
		`removed: ${[...names, ...(more > 0 ? [`${more} more`] : [])].join(', ')}; ${hint}`,
	];
}

/** What was decided since midnight and is in force, in one line; nothing if that is nothing. */
function todayLines(compactions: readonly LoggedCompaction[], now: Date): string[] {
	const midnight = new Date(now).setHours(0, 0, 0, 0);
	const own = compactions.filter(({ at, undone, byAgent }) => at >= midnight && !undone && !byAgent);
	if (own.length === 0) return [];
	const removed = own.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, 0);
	const decisions = own.length === 1 ? '1 decision' : `${own.length} decisions`;
	const sum = (member: 'rewrittenTokens' | 'costTokens') =>
		own.reduce((tokens, { cache }) => tokens + (cache?.[member] ?? 0), 0);
	const line = `today: ${decisions}, ${figure(removed)} tokens removed`;
	const price = sum('costTokens');
	if (price === 0) return [line];
	return [
		`${line}, cache rewritten: ${figure(sum('rewrittenTokens'))} tokens (price: ${figure(price)} of input)`,
	];
}

/**
 * Returns how full the window is, what contextd decided today, and what it removed last.
 * @param now decides which day it is
 */
export async function statsText<Native>(
	{ sessionId, ask, conversation }: Asked<Native>,
	reader: Reader = 'model',
	now = new Date(),
): Promise<string> {
	if (await conversation.isOff()) return offText(conversation.onCommand);
	await conversation.tell();
	const stats = await ask('context/stats', { sessionId }, { timeoutMs });
	if (stats === null) return 'contextd knows nothing of this session yet.';
	const { compactions } = await ask('context/timeline', { sessionId }, { timeoutMs });
	const last = compactions.at(-1);
	const receipt = last && toWholeRequest(last, stats);
	const hint = recallHint(reader, sessionId);
	return [
		...statsLines(stats),
		...todayLines(compactions, now),
		...(receipt ? receiptLines(receipt, conversation.undoCommand, hint) : ['nothing was shortened yet']),
	].join('\n');
}

/**
 * Answers the command `/contextd`: without words as `statsText`, with `off` or `on` for one session.
 * @param words what the person typed behind the command
 */
export async function commandText<Native>(asked: Asked<Native>, words: string): Promise<string> {
	const wish = words.trim().toLowerCase();
	if (wish === '') return statsText(asked, 'person');
	if (wish === 'off' || wish === 'on') return (await asked.conversation.turn(wish)).text;
	return `Unknown word "${wish}": expected off, on or nothing.`;
}

/** Keeps the message verbatim in which some words stand. */
export async function pinText<Native>(
	{ sessionId, ask, conversation }: Asked<Native>,
	words: string,
): Promise<string> {
	const query = words.trim();
	if (query === '') return 'Say which words the message holds.';
	await conversation.tell();
	const [match] = (await matching({ sessionId, ask }, query)).matches;
	if (match === undefined) return `Nothing in this session holds "${query}".`;
	await ask('context/pin', { sessionId, messageIds: [match.messageId], pinned: true }, { timeoutMs });
	return `Pinned, and kept word for word from now on: (${match.role}) ${match.excerpt}`;
}
