/** The extension of pi: the view of each session, the model's tools and the user's commands. */

import { pathToFileURL } from 'node:url';
import type { Conversation, RequestContext } from '../kit/conversationTypes.ts';
import { type ControllableSession, createStatsText } from '../kit/lookups.ts';
import { pluginCommands, recallTool, statsToolDescription } from '../kit/node/commands.ts';
import { createPluginConversation, type PluginServices } from '../kit/node/start.ts';
import { defaultResultTokens, withShorteningDetails } from '../kit/results.ts';
import { describeUnreachable } from '../kit/texts.ts';
import { formatPercent, formatTokens } from '../server/core/figures.ts';
import { isFields } from '../server/core/shape.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import { answerCompaction, listSentMessages, removeKeepAllSummary } from './compactions.ts';
import { piDialect } from './dialect.ts';
import type { PiApi, PiContext, PiMessage } from './host.ts';

/** Tokens of the window that pi keeps free by its own compaction (pi's docs/compaction.md). */
const piReserveTokens = 16_384;

function formatStatus({ usageRatio, estimatedInputTokens, availableInputTokens }: ContextStats): string {
	return `${formatPercent(usageRatio)} · ${formatTokens(estimatedInputTokens)}/${formatTokens(availableInputTokens)}`;
}

/** Returns how many tokens to reserve so that contextd compacts before pi, whose check comes one tool result earlier. */
function computeReservedTokens({ contextWindow, maxTokens }: NonNullable<PiContext['model']>): number {
	const reserve = Math.max(Math.min(piReserveTokens, Math.floor(contextWindow / 2)), maxTokens);
	return reserve + Math.min(defaultResultTokens, Math.floor(contextWindow / 16));
}

function createRequestContext({ cwd, model, getSystemPrompt }: PiContext): RequestContext {
	return {
		workspace: pathToFileURL(cwd).href,
		request: { systemPrompt: getSystemPrompt() },
		...(model && {
			provider: model.provider,
			model: model.id,
			contextWindow: model.contextWindow,
			maxOutputTokens: computeReservedTokens(model),
		}),
	};
}

/** The sessions of pi in this process. */
class PiSessions {
	readonly #createServices: (cwd: string) => PluginServices;
	readonly #conversations = new Map<string, Conversation<PiMessage>>();
	#services: PluginServices | undefined;

	constructor(createServices: (cwd: string) => PluginServices) {
		this.#createServices = createServices;
	}

	/** Returns the daemon and the store, which are created for the folder of the first session. */
	getServices({ cwd }: PiContext): PluginServices {
		this.#services ??= this.#createServices(cwd);
		return this.#services;
	}

	getConversation(context: PiContext): Conversation<PiMessage> {
		const sessionId = getSessionId(context);
		const existing = this.#conversations.get(sessionId);
		if (existing) return existing;
		const conversation = createPluginConversation<PiMessage>(this.getServices(context), {
			sessionId,
			dialect: piDialect,
			onWarning: (reason) => context.ui.setStatus('contextd', `contextd: ${reason}`),
		});
		this.#conversations.set(sessionId, conversation);
		return conversation;
	}

	/** Returns the access of commands and tools to the current session. */
	getControllableSession(context: PiContext): ControllableSession {
		const { ask } = this.getServices(context).daemon;
		return { sessionId: getSessionId(context), ask, conversation: this.getConversation(context) };
	}

	/** Closes the daemon and forgets the sessions. */
	async close(): Promise<void> {
		const services = this.#services;
		this.#services = undefined;
		this.#conversations.clear();
		await services?.daemon.close();
	}
}

/** Returns the daemon's id of the current session. */
function getSessionId({ sessionManager }: PiContext): string {
	return `pi:${sessionManager.getSessionId()}`;
}

/** Registers contextd's handlers, tools and commands with pi. */
export function extendPi(pi: PiApi, createServices: (cwd: string) => PluginServices): void {
	const sessions = new PiSessions(createServices);

	pi.on('session_start', async (_, context) => {
		sessions.getServices(context).daemon.start();
	});

	pi.on('context', async ({ messages }, context) => {
		const hostMessages = removeKeepAllSummary(messages, context);
		const conversation = sessions.getConversation(context);
		const view = await conversation.view(hostMessages, createRequestContext(context));
		if (view.stats) context.ui.setStatus('contextd', formatStatus(view.stats));
		else if (await conversation.isOff()) context.ui.setStatus('contextd', 'contextd is off');
		return { messages: view.messages };
	});

	pi.on('tool_result', ({ toolCallId, toolName, input, content, details, isError }, context) => {
		// The original text is added to the details, which is possible only if they are an object.
		if (details !== undefined && !isFields(details)) return undefined;
		if (!content.every(({ type }) => type === 'text')) return undefined;
		const text = content.map((block) => block.text ?? '').join('\n');
		const call = { id: toolCallId, name: toolName, args: input };
		const contextWindow = context.model?.contextWindow;
		const conversation = sessions.getConversation(context);
		const shortenedResult = conversation.shortenResult({ call, text, isError }, contextWindow);
		return (
			shortenedResult && {
				content: [{ type: 'text', text: shortenedResult.text }],
				details: withShorteningDetails(details, shortenedResult.details),
			}
		);
	});

	pi.on('session_before_compact', (event, context) =>
		answerCompaction(sessions.getConversation(context), event, context, createRequestContext(context)),
	);

	pi.on('session_shutdown', () => sessions.close());

	registerTools(pi, sessions);
	registerCommands(pi, sessions);
}

function registerTools(pi: PiApi, sessions: PiSessions): void {
	const answer = async (text: Promise<string>) => ({
		content: [{ type: 'text', text: await text }],
		details: {},
	});
	pi.registerTool({
		name: 'contextd_recall',
		label: 'Recall',
		description: recallTool.description,
		parameters: {
			type: 'object',
			properties: {
				query: { type: 'string', description: recallTool.query },
				offset: { type: 'number', description: recallTool.offset },
				everywhere: { type: 'boolean', description: recallTool.everywhere },
			},
			required: ['query'],
		},
		execute: (_, args, __, ___, context) =>
			answer(recallTool.answer(args, sessions.getControllableSession(context))),
	});
	pi.registerTool({
		name: 'contextd_stats',
		label: 'Context',
		description: statsToolDescription,
		parameters: { type: 'object', properties: {} },
		execute: (_, __, ___, ____, context) => answer(createStatsText(sessions.getControllableSession(context))),
	});
}

function registerCommands(pi: PiApi, sessions: PiSessions): void {
	for (const [name, command] of Object.entries(pluginCommands)) {
		pi.registerCommand(name, {
			description: command.description,
			async handler(words, context) {
				try {
					// The user may have switched branches since the last request.
					const hostMessages = listSentMessages(context).map(({ message }) => message);
					await sessions.getConversation(context).adoptList(hostMessages, createRequestContext(context));
					const text = await command.answer(words, sessions.getControllableSession(context));
					context.ui.notify(text, 'info');
				} catch (error) {
					context.ui.notify(describeUnreachable(error), 'warning');
				}
			},
		});
	}
}
