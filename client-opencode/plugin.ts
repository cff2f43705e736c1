/** contextd in OpenCode: the view of each session, the tools of the model and the commands of the user. */

import { statsText } from '../kit/lookups.ts';
import { pluginCommands, recallTool, statsToolDescription } from '../kit/node/commands.ts';
import type { PluginServices } from '../kit/node/start.ts';
import { type ShortenedResult, withCutDetails } from '../kit/results.ts';
import { unreachableText } from '../kit/words.ts';
import { withoutClearedMarks } from './dialect.ts';
import type { OpenCodeArrival, OpenCodeHooks, OpenCodeInput } from './host.ts';
import { OpenCodeSessions } from './sessions.ts';

/** Ids of parts: OpenCode uses one as the call id of a subtask. */
const partId = /^prt_/;

/** Thrown to end a command: otherwise OpenCode would ask the model. */
export class CommandDone extends Error {
	override name = 'ContextdCommandDone';
}

function toolsOver(sessions: OpenCodeSessions): OpenCodeHooks['tool'] {
	return {
		contextd_recall: {
			description: recallTool.description,
			args: {
				query: { type: 'string', description: recallTool.query },
				offset: { type: 'number', description: `${recallTool.offset}, else 0` },
				everywhere: { type: 'boolean', description: `${recallTool.everywhere}; else false` },
			},
			execute: (args, { sessionID }) => recallTool.answer(args, sessions.asked(sessionID)),
		},
		contextd_stats: {
			description: statsToolDescription,
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
			const own = Object.entries(pluginCommands).map(([name, { description }]) => [
				name,
				{ description, template: name },
			]);
			config.command = { ...Object.fromEntries(own), ...config.command };
		},
		tool: toolsOver(sessions),
		async 'command.execute.before'({ command, sessionID, arguments: words }) {
			const own = Object.hasOwn(pluginCommands, command) ? pluginCommands[command] : undefined;
			if (own === undefined) return;
			let text: string;
			try {
				await sessions.adoptCurrentList(sessionID);
				text = await own.answer(words, sessions.asked(sessionID));
			} catch (error) {
				text = unreachableText(error);
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
