/** contextd in OpenCode: the view of each session, the tools of the model and the commands of the user. */

import { pathToFileURL } from 'node:url';
import { type ShortenedResult, withCutDetails } from '../kit/arrivals.ts';
import type { Conversation, RequestContext } from '../kit/conversationTypes.ts';
import { commandText, pinText, recallText, statsText } from '../kit/lookups.ts';
import { createPluginConversation } from '../kit/node/pluginConversation.ts';
import type { PluginGround } from '../kit/node/start.ts';
import { openCodeDialect, withoutClearedMarks } from './dialect.ts';
import type { OpenCodeArrival, OpenCodeClient, OpenCodeHooks, OpenCodeInput } from './hooks.ts';
import type { OpenCodeMessage } from './hostMessages.ts';

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

/** Returns the model of the newest prompt in a list, with its limits from OpenCode. */
async function modelOf(
	client: OpenCodeClient,
	messages: readonly OpenCodeMessage[],
): Promise<RequestContext> {
	const model = messages.findLast(({ info }) => info.model !== undefined)?.info.model;
	if (model === undefined) return {};
	const { data } = await client.config.providers();
	const provider = data?.providers.find(({ id }) => id === model.providerID);
	const limit = provider?.models[model.modelID]?.limit;
	return {
		provider: model.providerID,
		model: model.modelID,
		...(limit && { contextWindow: limit.context, maxOutputTokens: limit.output }),
	};
}

/** Whether OpenCode would send all messages of a session: it has not summarized them, and no answer is in progress. */
function isAsSent(messages: readonly OpenCodeMessage[]): boolean {
	const { role, time } = messages.at(-1)?.info ?? {};
	if (role === 'assistant' && time?.completed === undefined) return false;
	return !messages.some(({ parts }) => parts.some(({ type }) => type === 'compaction'));
}

/** Returns the hooks of one OpenCode instance. */
export function openCodeHooks({ client, directory }: OpenCodeInput, ground: PluginGround): OpenCodeHooks {
	const { daemon } = ground;
	const conversations = new Map<string, Conversation<OpenCodeMessage>>();
	const models = new Map<string, Promise<RequestContext>>();
	/** By session: the text that replaces a history that OpenCode is about to summarize. */
	const summaries = new Map<string, string>();
	/** Sessions whose next request asks the model for OpenCode's summary. */
	const summarizing = new Set<string>();
	const workspace = pathToFileURL(directory).href;
	daemon.start();

	function log(message: string): void {
		client.app.log({ body: { service: 'contextd', level: 'warn', message } }).catch(() => {});
	}

	function conversationOf(sessionId: string): Conversation<OpenCodeMessage> {
		const known = conversations.get(sessionId);
		if (known) return known;
		const made = createPluginConversation<OpenCodeMessage>(ground, {
			sessionId: `opencode:${sessionId}`,
			dialect: openCodeDialect,
			onWarning: log,
		});
		conversations.set(sessionId, made);
		return made;
	}

	async function contextOf(messages: readonly OpenCodeMessage[]): Promise<RequestContext> {
		const model = messages.findLast(({ info }) => info.model !== undefined)?.info.model;
		const key = `${model?.providerID}/${model?.modelID}`;
		const known = models.get(key) ?? modelOf(client, messages);
		models.set(key, known);
		try {
			return { workspace, ...(await known) };
		} catch (error) {
			models.delete(key);
			log(`the limits of ${key} are unknown: ${error instanceof Error ? error.message : error}`);
			return { workspace };
		}
	}

	function asked(sessionId: string) {
		return { sessionId: `opencode:${sessionId}`, ask: daemon.ask, conversation: conversationOf(sessionId) };
	}

	/** Returns all messages of a session, as OpenCode would send them. */
	async function rawOf(sessionId: string): Promise<OpenCodeMessage[] | undefined> {
		const { data } = await client.session.messages({ path: { id: sessionId } });
		return data?.map(withoutClearedMarks);
	}

	/**
	 * Makes the current list of a session known to its conversation: the user may have reverted messages since the last
	 * request, or have resumed the session.
	 */
	async function adoptCurrentList(sessionId: string): Promise<void> {
		const raw = await rawOf(sessionId);
		if (raw === undefined || !isAsSent(raw)) return;
		const { data } = await client.session.get({ path: { id: sessionId } });
		if (data?.revert?.partID !== undefined) return;
		const from = raw.findIndex(({ info }) => info.id === data?.revert?.messageID);
		const remaining = from < 0 ? raw : raw.slice(0, from);
		if (remaining.length > 0)
			await conversationOf(sessionId).adoptList(remaining, await contextOf(remaining));
	}

	async function runCommand(command: CommandName, sessionId: string, words: string): Promise<string> {
		await adoptCurrentList(sessionId);
		switch (command) {
			case 'contextd':
				return commandText(asked(sessionId), words);
			case 'contextd-compact': {
				const instructions = words.trim() === '' ? undefined : words.trim();
				return (await conversationOf(sessionId).compact(undefined, instructions)).text;
			}
			case 'contextd-undo':
				return (await conversationOf(sessionId).undo(Math.max(1, Number.parseInt(words, 10) || 1))).text;
			case 'contextd-pin':
				return pinText(asked(sessionId), words);
		}
	}

	return {
		async dispose() {
			await daemon.close();
		},
		async config(config) {
			const own = Object.entries(commands).map(([name, description]) => [
				name,
				{ description, template: name },
			]);
			config.command = { ...Object.fromEntries(own), ...config.command };
		},
		tool: {
			contextd_recall: {
				description:
					'Reads what was shortened or removed from this conversation: give the id of a message or tool call to read it in full, or words to search the whole session.',
				args: {
					query: { type: 'string', description: 'An id from a notice or placeholder, or words' },
					offset: { type: 'number', description: 'With an id: characters to skip, else 0' },
				},
				execute: ({ query, offset }, { sessionID }) =>
					recallText(asked(sessionID), String(query), Number(offset) || 0),
			},
			contextd_stats: {
				description: "Returns how full this conversation's context window is, and what fills it.",
				args: {},
				execute: (_, { sessionID }) => statsText(asked(sessionID)),
			},
		},
		async 'command.execute.before'({ command, sessionID, arguments: words }) {
			if (!isOwn(command)) return;
			let text: string;
			try {
				text = await runCommand(command, sessionID, words);
			} catch (error) {
				text = `contextd could not be asked: ${error instanceof Error ? error.message : error}`;
			}
			const parts = [{ type: 'text' as const, text, ignored: true as const }];
			await client.session.prompt({ path: { id: sessionID }, body: { noReply: true, parts } });
			throw new CommandDone(text);
		},
		async 'tool.execute.after'({ tool, sessionID, callID, args }, output) {
			const whole = arrivedText(output);
			if (output === undefined || whole === undefined || partId.test(callID)) return;
			const call = { id: callID, name: tool, args };
			const shortened = conversationOf(sessionID).shortenResult(call, whole, hasFailed(output));
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
			if (await conversationOf(sessionId).isOff()) return;
			const raw = messages.map(withoutClearedMarks);
			const view = await conversationOf(sessionId).view(raw, await contextOf(raw));
			messages.splice(0, messages.length, ...view.messages);
		},
		async 'experimental.session.compacting'({ sessionID }, output) {
			const raw = await rawOf(sessionID);
			const summary = raw && (await conversationOf(sessionID).summarize(raw));
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
export function arrivedText(output: OpenCodeArrival | undefined): string | undefined {
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
export function hasFailed({ metadata, isError }: OpenCodeArrival): boolean {
	return isError === true || (typeof metadata?.exit === 'number' && metadata.exit !== 0);
}

/** Replaces an output by its truncated text, and adds the whole output to its metadata. */
export function replaceOutput(output: OpenCodeArrival, { text, details }: ShortenedResult): void {
	if (output.output === undefined) output.content = [{ type: 'text', text }];
	else output.output = text;
	output.metadata = withCutDetails(output.metadata, details);
}
