/** contextd in pi: the view of each session, the tools of the model and the commands of the user. */

import { pathToFileURL } from 'node:url';
import { withCutDetails } from '../kit/arrivals.ts';
import type { Conversation, RequestContext } from '../kit/conversationTypes.ts';
import {
	commandAnswerText,
	everywhereDescription,
	pinText,
	projectRecallText,
	type QueriedSession,
	recallText,
	statsText,
} from '../kit/lookups.ts';
import { createPluginConversation } from '../kit/node/pluginConversation.ts';
import { defaultResultTokens, type PluginServices } from '../kit/node/start.ts';
import { isFields } from '../server/core/shape.ts';
import type { ContextStats } from '../server/protocol/stats.ts';
import { answerCompaction, sentMessages, withoutKeptSummary } from './compactions.ts';
import { piDialect } from './dialect.ts';
import type { PiApi, PiContext } from './hooks.ts';
import type { PiMessage } from './hostMessages.ts';

/** Tokens of the window that pi reserves: it compacts by itself when the rest is full (pi's docs/compaction.md). */
const piReserve = 16_384;

function percent({ usageRatio, estimatedInputTokens, availableInputTokens }: ContextStats): string {
	const figure = (tokens: number) => `${(tokens / 1000).toFixed(1)}k`;
	return `${Math.round(usageRatio * 100)}% · ${figure(estimatedInputTokens)}/${figure(availableInputTokens)}`;
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

interface PiSession extends QueriedSession {
	conversation: Conversation<PiMessage>;
}

/** Registers contextd with pi. */
export function extendPi(pi: PiApi, services: (cwd: string) => PluginServices): void {
	const sessions = createSessions(services);
	const { servicesIn, conversationIn } = sessions;

	function asked(context: PiContext): PiSession {
		const { ask } = servicesIn(context).daemon;
		return { sessionId: sessionIdIn(context), ask, conversation: conversationIn(context) };
	}

	/**
	 * Returns the session after adopting the current list, since the user may have switched branches since the
	 * last request.
	 */
	async function askedHere(context: PiContext): Promise<PiSession> {
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
		if (view.stats) context.ui.setStatus('contextd', percent(view.stats));
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

function registerTools(pi: PiApi, asked: (context: PiContext) => PiSession): void {
	const answer = async (text: Promise<string>) => ({
		content: [{ type: 'text', text: await text }],
		details: {},
	});
	pi.registerTool({
		name: 'contextd_recall',
		label: 'Recall',
		description:
			'Reads what was shortened or removed from this conversation: give the id of a message or tool call to read it in full, or words to search the whole session.',
		parameters: {
			type: 'object',
			properties: {
				query: { type: 'string', description: 'An id from a notice or placeholder, or words' },
				offset: { type: 'number', description: 'With an id: characters to skip' },
				everywhere: { type: 'boolean', description: everywhereDescription },
			},
			required: ['query'],
		},
		execute: (_, { query, offset, everywhere }, __, ___, context) =>
			answer(
				everywhere === true
					? projectRecallText(asked(context), String(query))
					: recallText(asked(context), String(query), Number(offset) || 0),
			),
	});
	pi.registerTool({
		name: 'contextd_stats',
		label: 'Context',
		description: "Returns how full this conversation's context window is, and what fills it.",
		parameters: { type: 'object', properties: {} },
		execute: (_, __, ___, ____, context) => answer(statsText(asked(context))),
	});
}

function registerCommands(pi: PiApi, askedHere: (context: PiContext) => Promise<PiSession>): void {
	const commands: Record<string, [string, (words: string, asked: PiSession) => Promise<string>]> = {
		contextd: [
			'Show how full the context window is and what was shortened: /contextd [off|on for this session]',
			(words, asked) => commandAnswerText(asked, words),
		],
		'contextd-compact': [
			'Compact now: /contextd-compact [what to keep above all]',
			async (words, { conversation }) =>
				(await conversation.compact(undefined, words.trim() || undefined)).text,
		],
		'contextd-undo': [
			'Undo the last compaction: /contextd-undo [how many]',
			async (words, { conversation }) =>
				(await conversation.undo(Math.max(1, Number.parseInt(words, 10) || 1))).text,
		],
		'contextd-pin': [
			'Keep a message word for word: /contextd-pin WORDS',
			(words, asked) => pinText(asked, words),
		],
	};
	for (const [name, [description, run]] of Object.entries(commands)) {
		pi.registerCommand(name, {
			description,
			async handler(words, context) {
				try {
					context.ui.notify(await run(words, await askedHere(context)), 'info');
				} catch (error) {
					const why = error instanceof Error ? error.message : String(error);
					context.ui.notify(`contextd could not be asked: ${why}`, 'warning');
				}
			},
		});
	}
}
