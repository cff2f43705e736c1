/** contextd in pi: the view of each session, the tools of the model and the commands of the user. */

import { pathToFileURL } from 'node:url';
import type { Conversation, RequestContext } from '../kit/conversationTypes.ts';
import { statsText } from '../kit/lookups.ts';
import {
	type CommandedSession,
	pluginCommands,
	recallTool,
	statsToolDescription,
} from '../kit/node/commands.ts';
import { createPluginConversation, type PluginServices } from '../kit/node/start.ts';
import { defaultResultTokens, withCutDetails } from '../kit/results.ts';
import { unreachableText } from '../kit/words.ts';
import { formatPercent, formatTokens } from '../server/core/figures.ts';
import { isFields } from '../server/core/shape.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import { answerCompaction, sentMessages, withoutKeptSummary } from './compactions.ts';
import { piDialect } from './dialect.ts';
import type { PiApi, PiContext, PiMessage } from './host.ts';

/** Tokens of the window that pi reserves: it compacts by itself when the rest is full (pi's docs/compaction.md). */
const piReserve = 16_384;

function statusText({ usageRatio, estimatedInputTokens, availableInputTokens }: ContextStats): string {
	return `${formatPercent(usageRatio)} · ${formatTokens(estimatedInputTokens)}/${formatTokens(availableInputTokens)}`;
}

/** Returns the tokens to reserve so that contextd decides before pi, which checks one result earlier. */
function reservedTokens({ contextWindow, maxTokens }: NonNullable<PiContext['model']>): number {
	const reserve = Math.max(Math.min(piReserve, Math.floor(contextWindow / 2)), maxTokens);
	return reserve + Math.min(defaultResultTokens, Math.floor(contextWindow / 16));
}

function requestContextOf({ cwd, model, getSystemPrompt }: PiContext): RequestContext {
	return {
		workspace: pathToFileURL(cwd).href,
		request: { systemPrompt: getSystemPrompt() },
		...(model && {
			provider: model.provider,
			model: model.id,
			contextWindow: model.contextWindow,
			maxOutputTokens: reservedTokens(model),
		}),
	};
}

/** pi's sessions in this process. */
interface PiSessions {
	/** Returns the daemon and the store, created in the folder of the first session that needs them. */
	servicesIn(context: PiContext): PluginServices;
	conversationIn(context: PiContext): Conversation<PiMessage>;
	/** Closes the daemon and forgets the sessions. */
	close(): Promise<void>;
}

function createSessions(services: (cwd: string) => PluginServices): PiSessions {
	const conversations = new Map<string, Conversation<PiMessage>>();
	let current: PluginServices | undefined;

	function servicesIn({ cwd }: PiContext): PluginServices {
		current ??= services(cwd);
		return current;
	}

	return {
		servicesIn,
		conversationIn(context) {
			const sessionId = sessionIdIn(context);
			const known = conversations.get(sessionId);
			if (known) return known;
			const made = createPluginConversation<PiMessage>(servicesIn(context), {
				sessionId,
				dialect: piDialect,
				onWarning: (why) => context.ui.setStatus('contextd', `contextd: ${why}`),
			});
			conversations.set(sessionId, made);
			return made;
		},
		async close() {
			const closing = current;
			current = undefined;
			conversations.clear();
			await closing?.daemon.close();
		},
	};
}

/** Returns the daemon's id of pi's session. */
function sessionIdIn({ sessionManager }: PiContext): string {
	return `pi:${sessionManager.getSessionId()}`;
}

/** Registers contextd with pi. */
export function extendPi(pi: PiApi, services: (cwd: string) => PluginServices): void {
	const sessions = createSessions(services);
	const { servicesIn, conversationIn } = sessions;

	function asked(context: PiContext): CommandedSession {
		const { ask } = servicesIn(context).daemon;
		return { sessionId: sessionIdIn(context), ask, conversation: conversationIn(context) };
	}

	/**
	 * Returns the session after adopting the current list, since the user may have switched branches since the
	 * last request.
	 */
	async function askedHere(context: PiContext): Promise<CommandedSession> {
		const raw = sentMessages(context).map(({ message }) => message);
		await conversationIn(context).adoptList(raw, requestContextOf(context));
		return asked(context);
	}

	pi.on('session_start', async (_, context) => {
		servicesIn(context).daemon.start();
	});

	pi.on('context', async ({ messages }, context) => {
		const raw = withoutKeptSummary(messages, context);
		const view = await conversationIn(context).view(raw, requestContextOf(context));
		if (view.stats) context.ui.setStatus('contextd', statusText(view.stats));
		else if (await conversationIn(context).isOff()) context.ui.setStatus('contextd', 'contextd is off');
		return { messages: view.messages };
	});

	pi.on('tool_result', ({ toolCallId, toolName, input, content, details, isError }, context) => {
		// The original can only be added to details that are an object.
		if (details !== undefined && !isFields(details)) return undefined;
		if (!content.every(({ type }) => type === 'text')) return undefined;
		const whole = content.map((one) => one.text ?? '').join('\n');
		const call = { id: toolCallId, name: toolName, args: input };
		const contextWindow = context.model?.contextWindow;
		const shortened = conversationIn(context).shortenResult({ call, text: whole, isError }, contextWindow);
		return (
			shortened && {
				content: [{ type: 'text', text: shortened.text }],
				details: withCutDetails(details, shortened.details),
			}
		);
	});

	pi.on('session_before_compact', (event, context) =>
		answerCompaction(conversationIn(context), event, context, requestContextOf(context)),
	);

	pi.on('session_shutdown', () => sessions.close());

	registerTools(pi, asked);
	registerCommands(pi, askedHere);
}

function registerTools(pi: PiApi, asked: (context: PiContext) => CommandedSession): void {
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
		execute: (_, args, __, ___, context) => answer(recallTool.answer(args, asked(context))),
	});
	pi.registerTool({
		name: 'contextd_stats',
		label: 'Context',
		description: statsToolDescription,
		parameters: { type: 'object', properties: {} },
		execute: (_, __, ___, ____, context) => answer(statsText(asked(context))),
	});
}

function registerCommands(pi: PiApi, askedHere: (context: PiContext) => Promise<CommandedSession>): void {
	for (const [name, command] of Object.entries(pluginCommands)) {
		pi.registerCommand(name, {
			description: command.description,
			async handler(words, context) {
				try {
					context.ui.notify(await command.answer(words, await askedHere(context)), 'info');
				} catch (error) {
					context.ui.notify(unreachableText(error), 'warning');
				}
			},
		});
	}
}
