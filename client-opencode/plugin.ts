/** contextd in OpenCode: the view of each session, the tools of the model and the commands of the user. */

import { type ShortenedResult, withCutDetails } from '../kit/arrivals.ts';
import {
	commandAnswerText,
	everywhereDescription,
	pinText,
	projectRecallText,
	recallText,
	statsText,
} from '../kit/lookups.ts';
import type { PluginServices } from '../kit/node/start.ts';
import { withoutClearedMarks } from './dialect.ts';
import type { OpenCodeArrival, OpenCodeHooks, OpenCodeInput } from './hooks.ts';
import { OpenCodeSessions } from './sessions.ts';

/** Ids of parts: OpenCode uses one as the call id of a subtask. */
const partId = /^prt_/;

/** Thrown to end a command: otherwise OpenCode would ask the model. */
export class CommandDone extends Error {
	override name = 'ContextdCommandDone';
}

const commands = {
	contextd: 'Show how full the context window is and what was shortened: /contextd [off|on for this session]',
	'contextd-compact': 'Compact now: /contextd-compact [what to keep above all]',
	'contextd-undo': 'Undo the last compaction: /contextd-undo [how many]',
	'contextd-pin': 'Keep a message word for word: /contextd-pin WORDS',
} as const;

type CommandName = keyof typeof commands;

function isOwn(command: string): command is CommandName {
	return command in commands;
}

/** Runs one of contextd's commands and returns its text for the user. */
async function runCommand(
	sessions: OpenCodeSessions,
	command: CommandName,
	sessionId: string,
	words: string,
): Promise<string> {
	await sessions.adoptCurrentList(sessionId);
	switch (command) {
		case 'contextd':
			return commandAnswerText(sessions.asked(sessionId), words);
		case 'contextd-compact':
			return (await sessions.conversation(sessionId).compact(undefined, words.trim() || undefined)).text;
		case 'contextd-undo':
			return (await sessions.conversation(sessionId).undo(Math.max(1, Number.parseInt(words, 10) || 1))).text;
		case 'contextd-pin':
			return pinText(sessions.asked(sessionId), words);
	}
}

function toolsOver(sessions: OpenCodeSessions): OpenCodeHooks['tool'] {
	return {
		contextd_recall: {
			description:
				'Reads what was shortened or removed from this conversation: give the id of a message or tool call to read it in full, or words to search the whole session.',
			args: {
				query: { type: 'string', description: 'An id from a notice or placeholder, or words' },
				offset: { type: 'number', description: 'With an id: characters to skip, else 0' },
				everywhere: { type: 'boolean', description: `${everywhereDescription}; else false` },
			},
			execute: ({ query, offset, everywhere }, { sessionID }) =>
				everywhere === true
					? projectRecallText(sessions.asked(sessionID), String(query))
					: recallText(sessions.asked(sessionID), String(query), Number(offset) || 0),
		},
		contextd_stats: {
			description: "Returns how full this conversation's context window is, and what fills it.",
			args: {},
			execute: (_, { sessionID }) => statsText(sessions.asked(sessionID)),
		},
	};
}

/** Returns the hooks of one OpenCode instance. */
export function openCodeHooks(input: OpenCodeInput, services: PluginServices): OpenCodeHooks {
	const { client } = input;
	const sessions = new OpenCodeSessions(input, services);
	/** By session: the text that replaces a history that OpenCode is about to summarize. */
	const summaries = new Map<string, string>();
	/** Sessions whose next request asks the model for OpenCode's summary. */
	const summarizing = new Set<string>();
	services.daemon.start();
	return {
		async dispose() {
			await services.daemon.close();
		},
		async config(config) {
			const own = Object.entries(commands).map(([name, description]) => [
				name,
				{ description, template: name },
			]);
			config.command = { ...Object.fromEntries(own), ...config.command };
		},
		tool: toolsOver(sessions),
		async 'command.execute.before'({ command, sessionID, arguments: words }) {
			if (!isOwn(command)) return;
			let text: string;
			try {
				text = await runCommand(sessions, command, sessionID, words);
			} catch (error) {
				text = `contextd could not be asked: ${error instanceof Error ? error.message : error}`;
			}
			const parts = [{ type: 'text' as const, text, ignored: true as const }];
			await client.session.prompt({ path: { id: sessionID }, body: { noReply: true, parts } });
			throw new CommandDone(text);
		},
		async 'tool.execute.after'({ tool, sessionID, callID, args }, output) {
			const whole = textOfArrival(output);
			if (output === undefined || whole === undefined || partId.test(callID)) return;
			const call = { id: callID, name: tool, args };
			const result = { call, text: whole, isError: hasToolFailed(output) };
			const shortened = sessions.conversation(sessionID).shortenResult(result);
			if (shortened) replaceOutput(output, shortened);
		},
		async 'experimental.chat.messages.transform'(_, { messages }) {
			const sessionId = messages[0]?.info.sessionID;
			if (sessionId === undefined) return;
			if (summarizing.delete(sessionId)) {
				// The summary is ready. OpenCode asks the model anyway, so the model gets next to nothing.
				messages.splice(0);
				return;
			}
			// While contextd is off, OpenCode's own list is sent, with the results that OpenCode cleared.
			const conversation = sessions.conversation(sessionId);
			if (await conversation.isOff()) return;
			const raw = messages.map(withoutClearedMarks);
			const view = await conversation.view(raw, await sessions.context(raw));
			messages.splice(0, messages.length, ...view.messages);
		},
		async 'experimental.session.compacting'({ sessionID }, output) {
			const raw = await sessions.messages(sessionID);
			const summary = raw && (await sessions.conversation(sessionID).summarize(raw));
			if (summary === undefined) return;
			summaries.set(sessionID, summary.whole);
			summarizing.add(sessionID);
			output.prompt = 'The conversation was recorded already. Answer with the one word: done';
		},
		async 'experimental.text.complete'({ sessionID }, output) {
			const text = summaries.get(sessionID);
			if (text === undefined) return;
			summaries.delete(sessionID);
			output.text = text;
		},
	};
}

/**
 * UTF-16 units of an output that is stored whole next to its truncated text. A longer output is left to OpenCode, which
 * writes it to a file and stores 50 KB; the view truncates those.
 */
const maxStoredLength = 1 << 20;

/** Returns the whole output if it is nothing but text; else undefined. */
export function textOfArrival(output: OpenCodeArrival | undefined): string | undefined {
	const text = textOf(output);
	return text === undefined || text.length > maxStoredLength ? undefined : text;
}

function textOf({ output, content = [], attachments = [] }: OpenCodeArrival = {}): string | undefined {
	if (output !== undefined) return attachments.length === 0 ? output : undefined;
	const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
	// OpenCode joins the texts of an MCP answer in the same way.
	return texts.length > 0 && texts.length === content.length ? texts.join('\n\n') : undefined;
}

/** Whether the tool reports a failure. */
export function hasToolFailed({ metadata, isError }: OpenCodeArrival): boolean {
	return isError === true || (typeof metadata?.exit === 'number' && metadata.exit !== 0);
}

/** Replaces an output by its truncated text, and adds the whole output to its metadata. */
export function replaceOutput(output: OpenCodeArrival, { text, details }: ShortenedResult): void {
	if (output.output === undefined) output.content = [{ type: 'text', text }];
	else output.output = text;
	output.metadata = withCutDetails(output.metadata, details);
}
