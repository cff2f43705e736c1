/** Texts that the tools and commands of plugins return. */

import { formatExpiry } from '../server/core/cost/cacheExpiry.ts';
import { describeRewrite, formatRewritePrice } from '../server/core/cost/compactionCost.ts';
import { explainCompaction, explainDue, explainWait, formatSavings } from '../server/core/cost/costTexts.ts';
import {
	formatCost,
	formatCount,
	formatNumber,
	formatPercent,
	formatTokens,
} from '../server/core/figures.ts';
import { estimateTokens, exceedsTokens } from '../server/core/measure/text/textCounter.ts';
import { toWholeRequest } from '../server/core/meter/reading.ts';
import type { LoggedCompaction } from '../server/protocol/compaction.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import type { Conversation } from './conversationTypes.ts';
import type { Ask, KitMethod, ParamsOf, ResultOf } from './ports.ts';
import { ownToolPattern } from './results.ts';
import { describeTurnedOff } from './texts.ts';
import { timeouts } from './timeouts.ts';

/** The part of a conversation that lookups use. */
export type LookupConversation = Pick<
	Conversation<unknown>,
	'sync' | 'toDaemonId' | 'isOff' | 'undoCommand' | 'onCommand'
>;

/** A session with the functions that answer questions about it. */
export interface QueriedSession {
	sessionId: string;
	ask: Ask;
	conversation: LookupConversation;
	/** Maximum estimated tokens of a page of a message; by default only the page's length is limited. */
	maxPageTokens?: number;
	/** Timeout of a lookup in milliseconds, by default 30 s. Set a shorter one if requests to the model wait behind lookups. */
	lookupTimeoutMs?: number;
}

/** A session that a person can also turn off and on, compact and undo. */
export interface ControllableSession extends QueriedSession {
	conversation: Conversation<unknown>;
}

/** Maximum UTF-16 units of a page of an original message. */
const maxPageUnits = 20_000;
const maxMatches = 8;
/** Matches an excerpt that begins with a call of one of contextd's own tools. */
const ownCallPattern = /^\S*contextd_(?:recall|original|stats|pin) \{/;
/** Maximum number of removed messages that are listed for a decision. */
const maxRemoved = 5;

/** Sends a request about a session; rejects if there is no answer within the session's timeout for lookups. */
function askAbout<Method extends KitMethod>(
	{ ask, lookupTimeoutMs: timeoutMs = timeouts.lookup }: QueriedSession,
	method: Method,
	params: ParamsOf<Method>,
): Promise<ResultOf<Method>> {
	return ask(method, params, { timeoutMs });
}

/** Returns the messages that contain some words, best first. Leaves out earlier lookups and their results. */
async function searchMessages(
	session: QueriedSession,
	query: string,
): Promise<Pick<ResultOf<'context/recall'>, 'matches' | 'total'>> {
	const params = { sessionId: session.sessionId, query, limit: 2 * maxMatches };
	const { matches, total } = await askAbout(session, 'context/recall', params);
	const hits = matches.filter(
		({ toolName = '', excerpt }) => !ownToolPattern.test(toolName) && !ownCallPattern.test(excerpt),
	);
	return { matches: hits.slice(0, maxMatches), total: total - (matches.length - hits.length) };
}

/** Returns a page of a message's original text, from `offset` on. Rejects if the session has no message with this id. */
export async function readOriginalPage(
	session: QueriedSession,
	messageId: string,
	offset: number,
): Promise<string> {
	const { sessionId, maxPageTokens = Number.POSITIVE_INFINITY } = session;
	const params = { sessionId, messageId, offset, limit: maxPageUnits };
	const { content, totalChars } = await askAbout(session, 'context/original', params);
	if (offset >= totalChars && offset > 0)
		return `The message has ${totalChars} characters, so nothing follows offset ${offset}.`;
	const page = truncateToTokens(content, maxPageTokens);
	const end = offset + page.length;
	if (end >= totalChars) return page;
	return `${page}\n[${end} of ${totalChars} characters; ask again with offset ${end}]`;
}

/** Truncates a text to at most this many estimated tokens, without splitting a character. */
function truncateToTokens(text: string, tokens: number): string {
	let page = text;
	while (exceedsTokens(page, tokens)) {
		const share = Math.min(0.9, tokens / estimateTokens(page));
		page = page.slice(0, Math.floor(page.length * share)).replace(/[\uD800-\uDBFF]$/, '');
	}
	return page;
}

/**
 * Returns a message or result in full if `words` is its id, else excerpts of the messages that contain the words; undefined if
 * no message contains them.
 * @param words trimmed, not empty
 * @param offset UTF-16 units from the start of a message
 */
export async function readOrSearchMessages(
	session: QueriedSession,
	words: string,
	offset = 0,
): Promise<string | undefined> {
	const { conversation } = session;
	await conversation.sync();
	if (!/\s/.test(words)) {
		const messageId = conversation.toDaemonId(words);
		try {
			return await readOriginalPage(session, messageId, offset);
		} catch (error) {
			// A single word is an id only if there is such a message.
			if (!isUnknownMessage(error)) throw error;
		}
	}
	const { matches, total } = await searchMessages(session, words);
	if (matches.length === 0) return undefined;
	const lines = matches.map(({ messageId, role, toolName, excerpt }) => {
		const author = toolName === undefined ? role : `${role}, ${toolName}`;
		return `[${messageId}] (${author}) ${excerpt}`;
	});
	return [
		`${matches.length} of ${total} messages; contextd_recall with an id gives the whole:`,
		...lines,
	].join('\n');
}

/** Answers a recall in one session, or in several related sessions in their order, as a text. */
export async function createRecallText(
	sessions: QueriedSession | readonly [QueriedSession, ...QueriedSession[]],
	query: string,
	offset = 0,
): Promise<string> {
	const words = query.trim();
	if (words === '') return 'Give an id that a placeholder names, or some words.';
	const texts: string[] = [];
	for (const session of [sessions].flat() as QueriedSession[]) {
		const text = await readOrSearchMessages(session, words, offset);
		if (text !== undefined) texts.push(text);
	}
	return texts.length > 0 ? texts.join('\n\n') : `Nothing in this session contains "${words}".`;
}

/** Maximum UTF-16 units of an excerpt from a recorded session; long, because the messages around it are harder to get. */
const maxRecordedExcerpt = 600;

/** Searches the recorded sessions of a folder. Returns the matching messages as text, best first, each with its session. */
export async function recallRecordings(ask: Ask, query: string, workspace: string): Promise<string> {
	const params = { query, workspace, limit: 2 * maxMatches, maxExcerpt: maxRecordedExcerpt };
	const result = await ask('context/recall', params, { timeoutMs: timeouts.lookup });
	return formatRecordedMatches(result, query, 'contextd_original with an id and its session gives the whole');
}

/** Description for models of the argument `everywhere` of a plugin's tool. */
export const everywhereDescription =
	'true: search all recorded sessions of this project, also those of other agents';

/** Searches the recorded sessions of the folder of a plugin's session; a plugin may not search other folders. */
export async function recallInProject(session: QueriedSession, query: string): Promise<string> {
	const words = query.trim();
	if (words === '') return 'Give some words.';
	// Sending the messages also creates the session in the daemon.
	await session.conversation.sync();
	const result = await askAbout(session, 'context/recall', {
		sessionId: session.sessionId,
		scope: 'workspace',
		query: words,
		limit: 2 * maxMatches,
		maxExcerpt: 2 * maxRecordedExcerpt,
	});
	return formatRecordedMatches(result, words, 'in a terminal, contextd recall shows them in full');
}

function formatRecordedMatches(
	{ matches, total, pending }: ResultOf<'context/recall'>,
	query: string,
	hint: string,
): string {
	const hits = matches.filter(({ toolName = '' }) => !ownToolPattern.test(toolName)).slice(0, maxMatches);
	const lines = hits.map(({ messageId, recordingId, role, toolName, label, title, at, excerpt }) => {
		const day = at === undefined ? [] : [new Date(at).toISOString().slice(0, 10)];
		const session = [label ?? '', ...(title === undefined ? [] : [`"${title}"`]), ...day].join(', ');
		return `[${messageId}] recording:${recordingId} (${session}; ${toolName ?? role}) ${excerpt}`;
	});
	return [
		lines.length === 0
			? `No recorded session of this folder contains "${query}".`
			: `${lines.length} of ${total} messages in recorded sessions; ${hint}:`,
		...lines,
		...(pending === undefined ? [] : [`${pending} recorded sessions are not fully indexed yet.`]),
	].join('\n');
}

/** Returns a camel-case name as words: `tool results` for `toolResults`. */
function nameToWords(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Returns who compacts and at how many tokens; the state of the window if nobody compacts. */
function describeThreshold(stats: ContextStats): string {
	const { limit, availableInputTokens, thresholds, state, agent, decision } = stats;
	if (limit.compacts === 'nobody') return state;
	if (limit.compacts === 'agent')
		return `${agent ?? 'the agent'} compacts at ${formatTokens(availableInputTokens)}`;
	const threshold = formatTokens(thresholds.compact * availableInputTokens);
	const dueReason = explainDue(decision);
	const reason = explainWait(stats) ?? (dueReason && `compacts the next request: ${dueReason}`);
	return reason === undefined ? `compacts at ${threshold}` : `compacts at ${threshold} (${reason})`;
}

/** Returns lines about the session's cost, the savings, and when the provider's cache expires; none if nothing is known. */
function formatMoneyLines({ cache, cost, savings }: ContextStats, now: number): string[] {
	return [
		...(cost === undefined ? [] : [`this session: ${formatCost(cost.tokens, cost.usd)} so far`]),
		...[formatSavings(savings, now) ?? []].flat(),
		...(cache === undefined || cache.coldCostTokens === 0
			? []
			: [`${formatExpiry(cache, now)} more for the next request`]),
	];
}

function formatStatsLines(stats: ContextStats): string[] {
	const { estimatedInputTokens, availableInputTokens, usageRatio, breakdown, history, largest } = stats;
	const rows = Object.entries({ ...breakdown, conversationHistory: 0, ...history })
		.filter(([, tokens]) => tokens > 0)
		.sort(([, left], [, right]) => right - left)
		.map(([name, tokens]) => `  ${nameToWords(name).padEnd(18)}${formatNumber(tokens).padStart(9)}`);
	const top = largest
		.slice(0, 5)
		.map(
			({ messageId, role, toolName, tokens }) => `${toolName ?? role} ${formatNumber(tokens)} (${messageId})`,
		);
	return [
		`${formatNumber(estimatedInputTokens)} of ${formatNumber(availableInputTokens)} tokens (${formatPercent(usageRatio)}), ${describeThreshold(stats)}`,
		...rows,
		...(top.length > 0 ? [`largest: ${top.join(', ')}`] : []),
	];
}

/** Who reads a text. A model looks messages up with a tool, a person with a command. */
export type Audience = 'model' | 'person';

/** Returns an instruction for reading the full text of a message by its id. */
function createRecallHint(reader: Audience, sessionId: string): string {
	return reader === 'model'
		? 'contextd_recall with an id gives the whole'
		: `in a terminal: contextd recall ID --session ${sessionId}`;
}

/** What a receipt shows in addition to its figures. */
interface ReceiptContext {
	undoCommand: string | undefined;
	/** An instruction for reading the removed messages. */
	hint: string;
	usdPerMillion: number | undefined;
}

/** Returns lines about a decision and what it removed or shortened, largest first. */
function formatReceipt(
	{ tokensBefore, tokensAfter, undone, removed, cache, decision }: LoggedCompaction,
	{ undoCommand, hint, usdPerMillion }: ReceiptContext,
): string[] {
	const figures = `last decision: ${formatNumber(tokensBefore)} → ${formatNumber(tokensAfter)} tokens`;
	if (undone) return [`${figures}, undone`];
	const largest = removed.toSorted((left, right) => right.tokens - left.tokens).slice(0, maxRemoved);
	const names = largest.map(
		({ messageId, role, toolName, tokens }) => `${toolName ?? role} ${formatNumber(tokens)} (${messageId})`,
	);
	const unlistedCount = removed.length - largest.length;
	const rewrite = describeRewrite(cache, usdPerMillion);
	return [
		undoCommand === undefined ? figures : `${figures}; undo: ${undoCommand}`,
		...(decision === undefined ? [] : [`why: ${explainCompaction(decision)}`]),
		...(rewrite === undefined ? [] : [`cache: ${rewrite}`]),
		`removed: ${[...names, ...(unlistedCount > 0 ? [`${unlistedCount} more`] : [])].join(', ')}; ${hint}`,
	];
}

/** Returns one line about the decisions since midnight that were not undone; none if there are no such decisions. */
function formatTodayLines(
	compactions: readonly LoggedCompaction[],
	now: Date,
	usdPerMillion: number | undefined,
): string[] {
	const midnight = new Date(now).setHours(0, 0, 0, 0);
	const entries = compactions.filter(({ at, undone, byAgent }) => at >= midnight && !undone && !byAgent);
	if (entries.length === 0) return [];
	const total = entries.reduce((sum, { tokensBefore, tokensAfter }) => sum + tokensBefore - tokensAfter, 0);
	const sumCache = (member: 'rewrittenTokens' | 'costTokens') =>
		entries.reduce((tokens, { cache }) => tokens + (cache?.[member] ?? 0), 0);
	const line = `today: ${formatCount(entries.length, 'decision')}, ${formatNumber(total)} tokens removed`;
	const cost = sumCache('costTokens');
	if (cost === 0) return [line];
	const price = formatRewritePrice(cost, usdPerMillion);
	return [`${line}, cache rewritten: ${formatNumber(sumCache('rewrittenTokens'))} tokens (${price})`];
}

/**
 * Returns how full the window is, what contextd decided today, and what the last decision removed.
 * @param now the current time, which decides what counts as today
 */
export async function createStatsText(
	session: QueriedSession,
	reader: Audience = 'model',
	now = new Date(),
): Promise<string> {
	const { sessionId, conversation } = session;
	if (await conversation.isOff()) return describeTurnedOff(conversation.onCommand);
	await conversation.sync();
	const stats = await askAbout(session, 'context/stats', { sessionId });
	if (stats === null) return 'contextd knows nothing of this session yet.';
	const { compactions } = await askAbout(session, 'context/timeline', { sessionId });
	const last = compactions.at(-1);
	const receipt = last && toWholeRequest(last, stats);
	const hint = createRecallHint(reader, sessionId);
	const { usdPerMillion } = stats;
	const context = { undoCommand: conversation.undoCommand, hint, usdPerMillion };
	return [
		...formatStatsLines(stats),
		...formatMoneyLines(stats, now.getTime()),
		...formatTodayLines(compactions, now, usdPerMillion),
		...(receipt ? formatReceipt(receipt, context) : ['nothing was shortened yet']),
	].join('\n');
}

/**
 * Answers the command `/contextd`: without words like `createStatsText`; `off` and `on` turn contextd off and on for the session.
 * @param words what the person typed after the command
 */
export async function answerContextCommand(session: ControllableSession, words: string): Promise<string> {
	const choice = words.trim().toLowerCase();
	if (choice === '') return createStatsText(session, 'person');
	if (choice === 'off' || choice === 'on') return (await session.conversation.switchTo(choice)).text;
	return `Unknown word "${choice}": expected off, on or nothing.`;
}

/** Whether an error says that the session has no message with the given id. */
function isUnknownMessage(error: unknown): boolean {
	return error instanceof Error && 'kind' in error && error.kind === 'MessageNotFound';
}

/**
 * Pins a message, so that compactions keep it verbatim. Returns a line about the pinned message; undefined if no message matches.
 * @param query the id of a message, or words whose best match is pinned; trimmed, not empty
 */
export async function pinMatch(session: QueriedSession, query: string): Promise<string | undefined> {
	const { sessionId, conversation } = session;
	await conversation.sync();
	const pinById = (messageId: string) =>
		askAbout(session, 'context/pin', { sessionId, messageIds: [messageId], pinned: true });
	const heading = 'Pinned, and kept word for word from now on:';
	if (!/\s/.test(query)) {
		try {
			await pinById(conversation.toDaemonId(query));
			return `${heading} ${query}`;
		} catch (error) {
			if (!isUnknownMessage(error)) throw error;
		}
	}
	const [match] = (await searchMessages(session, query)).matches;
	if (match === undefined) return undefined;
	await pinById(match.messageId);
	return `${heading} (${match.role}) ${match.excerpt}`;
}

/** Pins a message by its id or by words, and returns the answer for a person. */
export async function pinForPerson(session: QueriedSession, words: string): Promise<string> {
	const query = words.trim();
	if (query === '') return 'Give some words that the message contains.';
	return (await pinMatch(session, query)) ?? `Nothing in this session contains "${query}".`;
}
