/** The hooks of contextd in OpenCode: the view of each session, the model's tools and the user's commands. */

import { createStatsText } from '../kit/lookups.ts';
import { pluginCommands, recallTool, statsToolDescription } from '../kit/node/commands.ts';
import type { PluginServices } from '../kit/node/start.ts';
import { type ShortenedResult, withShorteningDetails } from '../kit/results.ts';
import { describeUnreachable } from '../kit/texts.ts';
import { withoutClearedMarks } from './dialect.ts';
import type { OpenCodeHooks, OpenCodeInput, OpenCodeResult } from './host.ts';
import { OpenCodeSessions } from './sessions.ts';

/** Matches ids of parts. OpenCode uses a part's id as the call id of a subtask. */
const partIdPattern = /^prt_/;

/** Thrown to end a command, because OpenCode would otherwise send the command to the model. */
export class CommandDone extends Error {
	override name = 'ContextdCommandDone';
}

function createTools(sessions: OpenCodeSessions): OpenCodeHooks['tool'] {
	return {
		contextd_recall: {
			description: recallTool.description,
			args: {
				query: { type: 'string', description: recallTool.query },
				offset: { type: 'number', description: `${recallTool.offset}, else 0` },
				everywhere: { type: 'boolean', description: `${recallTool.everywhere}; else false` },
			},
			execute: (args, { sessionID }) => recallTool.answer(args, sessions.getControllableSession(sessionID)),
		},
		contextd_stats: {
			description: statsToolDescription,
			args: {},
			execute: (_, { sessionID }) => createStatsText(sessions.getControllableSession(sessionID)),
		},
	};
}

/** Creates the hooks of one OpenCode instance. */
export function createOpenCodeHooks(input: OpenCodeInput, services: PluginServices): OpenCodeHooks {
	const { client } = input;
	const sessions = new OpenCodeSessions(input, services);
	/** Texts that replace the summaries which OpenCode requests from the model, by session. */
	const summaries = new Map<string, string>();
	/** Sessions whose next request is OpenCode's request for a summary. */
	const summarizedSessions = new Set<string>();
	services.daemon.start();
	return {
		async dispose() {
			await services.daemon.close();
		},
		async config(config) {
			const commands = Object.entries(pluginCommands).map(([name, { description }]) => [
				name,
				{ description, template: name },
			]);
			config.command = { ...Object.fromEntries(commands), ...config.command };
		},
		tool: createTools(sessions),
		async 'command.execute.before'({ command, sessionID, arguments: words }) {
			const pluginCommand = Object.hasOwn(pluginCommands, command) ? pluginCommands[command] : undefined;
			if (pluginCommand === undefined) return;
			let text: string;
			try {
				await sessions.adoptCurrentList(sessionID);
				text = await pluginCommand.answer(words, sessions.getControllableSession(sessionID));
			} catch (error) {
				text = describeUnreachable(error);
			}
			const parts = [{ type: 'text' as const, text, ignored: true as const }];
			await client.session.prompt({ path: { id: sessionID }, body: { noReply: true, parts } });
			throw new CommandDone(text);
		},
		async 'tool.execute.after'({ tool, sessionID, callID, args }, output) {
			const fullText = getOutputText(output);
			if (output === undefined || fullText === undefined || partIdPattern.test(callID)) return;
			const call = { id: callID, name: tool, args };
			const result = { call, text: fullText, isError: hasToolFailed(output) };
			const shortenedResult = sessions.getConversation(sessionID).shortenResult(result);
			if (shortenedResult) replaceOutput(output, shortenedResult);
		},
		async 'experimental.chat.messages.transform'(_, { messages }) {
			const sessionId = messages[0]?.info.sessionID;
			if (sessionId === undefined) return;
			if (summarizedSessions.delete(sessionId)) {
				// The summary is ready, but OpenCode asks the model anyway. Sending nothing makes that request cheap.
				messages.splice(0);
				return;
			}
			// While contextd is off, OpenCode sends its own list, in which it may have cleared results.
			const conversation = sessions.getConversation(sessionId);
			if (await conversation.isOff()) return;
			const hostMessages = messages.map(withoutClearedMarks);
			const view = await conversation.view(hostMessages, await sessions.readContext(hostMessages));
			messages.splice(0, messages.length, ...view.messages);
		},
		async 'experimental.session.compacting'({ sessionID }, output) {
			const hostMessages = await sessions.readMessages(sessionID);
			const summary = hostMessages && (await sessions.getConversation(sessionID).summarize(hostMessages));
			if (summary === undefined) return;
			summaries.set(sessionID, summary.fullText);
			summarizedSessions.add(sessionID);
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
 * Maximum UTF-16 units of an output that is stored in full next to its shortened text. OpenCode writes a longer output to a file
 * and stores 50 KB, which the view shortens.
 */
const maxStoredUnits = 1 << 20;

/** Returns the text of an output; undefined if it contains anything but text, or is too long to be stored in full. */
export function getOutputText(output: OpenCodeResult | undefined): string | undefined {
	const text = joinPlainText(output);
	return text === undefined || text.length > maxStoredUnits ? undefined : text;
}

function joinPlainText({ output, content = [], attachments = [] }: OpenCodeResult = {}): string | undefined {
	if (output !== undefined) return attachments.length === 0 ? output : undefined;
	const texts = content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
	// OpenCode joins the texts of an MCP answer in the same way.
	return texts.length > 0 && texts.length === content.length ? texts.join('\n\n') : undefined;
}

/** Whether an output reports a failure of the tool. */
export function hasToolFailed({ metadata, isError }: OpenCodeResult): boolean {
	return isError === true || (typeof metadata?.exit === 'number' && metadata.exit !== 0);
}

/** Replaces an output with its shortened text, and adds the full text to the metadata. */
export function replaceOutput(output: OpenCodeResult, { text, details }: ShortenedResult): void {
	if (output.output === undefined) output.content = [{ type: 'text', text }];
	else output.output = text;
	output.metadata = withShorteningDetails(output.metadata, details);
}
