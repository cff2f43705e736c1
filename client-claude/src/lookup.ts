/** What the model and the user can ask for: what was left out, and how full the window is. */

import type { ContextStats } from '../../server/protocol/stats.ts';
import { undone } from './compaction.ts';
import type { Conversations, HeldConversation } from './conversations.ts';
import { within } from './deadline.ts';
import type { Host } from './host.ts';
import { short } from './words.ts';

/** Milliseconds. */
const patienceMs = 5000;
/** Characters of an original that are given at once. */
const longestOriginal = 24_000;
/** What was found, at most. */
const mostMatches = 8;

/** Tells Claude Code of the tools and commands. */
export async function registerLookup(host: Host): Promise<void> {
	await host.tool.register({
		name: 'contextd_recall',
		description:
			'Looks up what was left out of this conversation: give the id that a placeholder names to read the original, or some words to search all earlier messages.',
		inputSchema: {
			type: 'object',
			properties: {
				query: { type: 'string', description: 'an id that a placeholder names, or words' },
				offset: { type: 'number', description: 'characters of an original to skip' },
			},
			required: ['query'],
		},
		isDeferred: false,
	});
	await host.tool.register({
		name: 'contextd_stats',
		description: "How full this conversation's context window is, and what fills it.",
		inputSchema: { type: 'object', properties: {} },
		isDeferred: false,
	});
	await host.command.register({
		name: 'contextd',
		description: 'what fills the context window, and what was left out',
	});
	await host.command.register({
		name: 'contextd-undo',
		description: 'take the newest compaction back: the model sees again what it saw before',
		argumentHint: '[n]',
	});
	await host.command.register({
		name: 'contextd-pin',
		description: 'keep messages that speak of some words, or reads of a file, whole in every compaction',
		argumentHint: '<words or a path>',
	});
}

/** Answers a call of the tool `contextd_recall`. */
export async function recallAnswer(
	host: Host,
	event: Readonly<Record<string, unknown>>,
	conversations: Conversations,
): Promise<string> {
	const held = await conversations.current(host, agentOf(event));
	const { query, offset } = event;
	const work = recalled(held, String(query ?? ''), typeof offset === 'number' ? offset : 0);
	return within(host, 'looking it up', patienceMs, work).catch(words);
}

/** Answers a call of the tool `contextd_stats`, and the command `/contextd`. */
export async function reportAnswer(
	host: Host,
	event: Readonly<Record<string, unknown>>,
	conversations: Conversations,
): Promise<string> {
	const held = await conversations.current(host, agentOf(event));
	return within(host, 'measuring', patienceMs, report(held)).catch(words);
}

/** Answers the command `/contextd-undo`. */
export async function undoAnswer(host: Host, args: string, conversations: Conversations): Promise<string> {
	const held = await conversations.current(host, undefined);
	const work = undone(held, Math.max(1, Number.parseInt(args, 10) || 1));
	return within(host, 'the undo', patienceMs, work).catch(words);
}

/** Answers the command `/contextd-pin`. */
export async function pinAnswer(host: Host, args: string, conversations: Conversations): Promise<string> {
	const held = await conversations.current(host, undefined);
	return within(host, 'pinning', patienceMs, pinned(held, args.trim())).catch(words);
}

function agentOf(event: Readonly<Record<string, unknown>>): string | undefined {
	return typeof event.agentId === 'string' ? event.agentId : undefined;
}

function words(error: unknown): string {
	return `contextd could not be asked: ${error instanceof Error ? error.message : String(error)}`;
}

async function recalled(held: HeldConversation, query: string, offset: number): Promise<string> {
	const { sessionId, conversation, ask } = held;
	const wanted = query.trim();
	if (wanted === '') return 'Give an id that a placeholder names, or some words.';
	const timeoutMs = patienceMs;
	const options = { timeoutMs };
	if (!/\s/.test(wanted)) {
		const messageId = conversation.daemonId(wanted);
		const original = await ask(
			'context/original',
			{ sessionId, messageId, offset, limit: longestOriginal },
			options,
		).catch(() => undefined);
		if (original !== undefined) {
			const end = offset + original.content.length;
			return original.hasMore
				? `${original.content}\n[characters ${offset} to ${end} of ${original.totalChars}; offset ${end} goes on]`
				: original.content;
		}
	}
	const { matches, total } = await ask(
		'context/recall',
		{ sessionId, query: wanted, limit: mostMatches },
		options,
	);
	if (matches.length === 0) return `Nothing in this conversation speaks of "${wanted}".`;
	const lines = matches.map(
		({ messageId, role, toolName, excerpt }) => `${messageId} (${toolName ?? role}): ${excerpt}`,
	);
	return [`${total} messages, the best first; their ids give the whole text:`, ...lines].join('\n\n');
}

async function pinned({ sessionId, ask }: HeldConversation, wanted: string): Promise<string> {
	if (wanted === '') return 'Say what is to be kept: words of the messages, or the path of a file.';
	const timeoutMs = patienceMs;
	const { matches } = await ask('context/recall', { sessionId, query: wanted, limit: 3 }, { timeoutMs });
	const messageIds = matches.map(({ messageId }) => messageId);
	if (messageIds.length === 0) return `Nothing in this conversation speaks of "${wanted}".`;
	await ask('context/pin', { sessionId, messageIds, pinned: true }, { timeoutMs });
	return `Kept whole from now on: ${matches.map(({ excerpt }) => excerpt.replace(/\s+/g, ' ').slice(0, 60)).join(' · ')}`;
}

async function report({ sessionId, ask }: HeldConversation): Promise<string> {
	const stats = await ask('context/stats', { sessionId }, { timeoutMs: patienceMs });
	return stats === null ? 'contextd has seen nothing of this conversation yet.' : reportText(stats);
}

function reportText(stats: ContextStats): string {
	const { estimatedInputTokens, availableInputTokens, usageRatio, history, breakdown, lastCompaction } =
		stats;
	const rows = [
		['tool results', history.toolResults],
		['tool calls', history.toolCalls],
		['assistant', history.assistant],
		['user', history.user],
		['summaries', history.summaries],
		['images', history.images],
		['system prompt and tools', breakdown.systemPrompt + breakdown.toolDefinitions],
		['other', breakdown.other],
	] as const;
	return [
		`${short(estimatedInputTokens)} of ${short(availableInputTokens)} tokens (${Math.round(100 * usageRatio)}%)`,
		...rows
			.filter(([, tokens]) => tokens > 0)
			.map(([name, tokens]) => `  ${name.padEnd(24)} ${short(tokens)}`),
		...(lastCompaction === undefined
			? ['nothing was left out so far']
			: [
					`last compaction: ${short(lastCompaction.tokensBefore)} to ${short(lastCompaction.tokensAfter)} by ${lastCompaction.stagesUsed.join(', ')}${lastCompaction.undone ? ', taken back since' : '; /contextd-undo takes it back'}`,
				]),
	].join('\n');
}
