/** Registers and answers the model's tools and the user's commands. */

import {
	answerContextCommand,
	createRecallText,
	createStatsText,
	everywhereDescription,
	pinForPerson,
	recallInProject,
} from '../../kit/lookups.ts';
import { describeUnreachable } from '../../kit/texts.ts';
import { timeouts } from '../../kit/timeouts.ts';
import type { Fields } from '../../server/core/shape.ts';
import { undoDecisions } from './compaction.ts';
import type { Conversations } from './conversations.ts';
import { type Host, withTimeout } from './host.ts';
import { cacheExpiryText, offStatusText } from './texts.ts';

/** Timeout of a tool or command, in milliseconds. */
const timeoutMs = timeouts.decision;

/** Whether Claude Code calls the hooks of commands. Versions before 2.1.287 do not, and lack `hookEnv` as well. */
async function canCallCommands(host: Host): Promise<boolean> {
	try {
		await host.process.hookEnv();
		return true;
	} catch {
		return false;
	}
}

/** Registers the tools and commands. Does nothing if this version of Claude Code would offer them but never call them. */
export async function registerLookup(host: Host): Promise<void> {
	if (!(await canCallCommands(host))) return;
	await host.tool.register({
		name: 'contextd_recall',
		description:
			'Looks up what was left out of this conversation: give the id that a placeholder names to read the original, or some words to search all earlier messages.',
		inputSchema: {
			type: 'object',
			properties: {
				query: { type: 'string', description: 'an id that a placeholder names, or words' },
				offset: { type: 'number', description: 'characters of an original to skip' },
				everywhere: { type: 'boolean', description: everywhereDescription },
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
		description: 'Show what fills the context window and what was removed; off or on for this session',
		argumentHint: '[off|on]',
	});
	await host.command.register({
		name: 'contextd-undo',
		description: 'Undo the newest compaction: the model gets what it got before',
		argumentHint: '[n]',
	});
	await host.command.register({
		name: 'contextd-pin',
		description: 'Keep a message with some words, or the reads of a file, unchanged in every compaction',
		argumentHint: '<words or a path>',
	});
}

/** Answers a call of the tool `contextd_recall`. */
export async function answerRecall(host: Host, event: Fields, conversations: Conversations): Promise<string> {
	const state = await conversations.getCurrent(host, readAgentId(event));
	const { query = '', offset, everywhere } = event;
	const task =
		everywhere === true
			? recallInProject(state, String(query))
			: conversations
					.listSubagents(host, state)
					.then((subagents) =>
						createRecallText([state, ...subagents], String(query), typeof offset === 'number' ? offset : 0),
					);
	return withTimeout(host, 'the lookup', timeoutMs, task).catch(describeUnreachable);
}

/** Answers a call of the tool `contextd_stats`. */
export async function answerStats(host: Host, event: Fields, conversations: Conversations): Promise<string> {
	const state = await conversations.getCurrent(host, readAgentId(event));
	return withTimeout(host, 'the measurement', timeoutMs, createStatsText(state)).catch(describeUnreachable);
}

/** Answers the command `/contextd`. */
export async function answerCommand(host: Host, args: string, conversations: Conversations): Promise<string> {
	const state = await conversations.getCurrent(host, undefined);
	const wasOff = await conversations.isOff(host, state);
	const isReport = args.trim() === '' && !wasOff;
	const task = answerContextCommand(state, args).then((answer) =>
		isReport && conversations.hasStatusLine ? `${answer}\n${cacheExpiryText}` : answer,
	);
	const text = await withTimeout(host, 'the measurement', timeoutMs, task).catch(describeUnreachable);
	const isOff = await conversations.isOff(host, state);
	if (isOff !== wasOff && !conversations.hasStatusLine) host.ui.status(isOff ? offStatusText : undefined);
	return text;
}

/** Answers the command `/contextd-undo`. */
export async function answerUndo(host: Host, args: string, conversations: Conversations): Promise<string> {
	const state = await conversations.getCurrent(host, undefined);
	const task = undoDecisions(host, state, Math.max(1, Number.parseInt(args, 10) || 1), conversations);
	return withTimeout(host, 'the undo', timeoutMs, task).catch(describeUnreachable);
}

/** Answers the command `/contextd-pin`. */
export async function answerPin(host: Host, args: string, conversations: Conversations): Promise<string> {
	const state = await conversations.getCurrent(host, undefined);
	return withTimeout(host, 'the pin', timeoutMs, pinForPerson(state, args)).catch(describeUnreachable);
}

function readAgentId(event: Readonly<Record<string, unknown>>): string | undefined {
	return typeof event.agentId === 'string' ? event.agentId : undefined;
}
