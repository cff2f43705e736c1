/** The context of one conversation of a program that is built on the AI SDK. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectOptions } from '../../server/client/client.ts';
import { isFields } from '../../server/core/shape.ts';
import { stateDirectory } from '../../server/node/stateDirectory.ts';
import type { Usage } from '../../server/protocol/conversation.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import { createConversation } from '../conversation.ts';
import { aiSdkDialect } from '../dialects/aiSdk.ts';
import type { BlockMessage } from '../dialects/dialect.ts';
import { recallText, statsText } from '../lookups.ts';
import { createDaemon } from '../node/daemon.ts';
import { viewFiles } from '../node/viewFiles.ts';
import type { ViewStore } from '../ports.ts';
import type { Conversation, Outcome, Surroundings } from '../shapes.ts';

/** How a conversation is held. */
export interface AiSdkOptions {
	/** Names the conversation: going on with it under the same name goes on with what was decided. */
	sessionId: string;
	/** For example `anthropic`; by the model's name where absent. */
	provider?: string;
	/** The model's id. */
	model?: string;
	/** Tokens; the model's own where absent. */
	contextWindow?: number;
	/** Tokens that an answer may take; the model's own where absent. */
	maxOutputTokens?: number;
	/** Tokens that a tool's result may have before it is cut on its way in; by default 4,000, and 0 cuts none. */
	toolResultTokens?: number;
	/** Where what is held is kept; by default files in contextd's state folder. */
	store?: ViewStore;
	/** How the daemon is started; by default that of this package. */
	daemon?: ConnectOptions;
	/** Hears, in one line, why the daemon was not asked or did not decide. */
	onAside?(why: string): void;
}

/** A step of a run, as `prepareStep` has it. */
export interface AiSdkStep {
	usage: object;
}

/** What `wrapLanguageModel` takes, for any version of the SDK that has a list of messages in `prompt`. */
export interface AiSdkMiddleware {
	specificationVersion: 'v3';
	transformParams<Params extends { prompt: unknown }>(options: { params: Params }): Promise<Params>;
	wrapGenerate<Result extends { usage: object }, Params extends { prompt: unknown }>(options: {
		doGenerate: () => PromiseLike<Result>;
		params: Params;
		model: { doGenerate(params: never): PromiseLike<unknown> };
	}): Promise<Result>;
	wrapStream<
		Result extends { stream: ReadableStream<unknown> },
		Params extends { prompt: unknown },
	>(options: {
		doStream: () => PromiseLike<Result>;
		params: Params;
		model: { doStream(params: never): PromiseLike<unknown> };
	}): Promise<Result>;
}

/** The context of one conversation. Use either `prepareStep` or the middleware of it, not both. */
export interface AiSdkContext {
	/** For `generateText`, `streamText` and agents: what the next step is sent. */
	prepareStep<Message>(options: {
		messages: Message[];
		steps: readonly AiSdkStep[];
	}): Promise<{ messages: Message[] }>;
	/** For `wrapLanguageModel`: every call of the model; one that the provider refuses as too long is made again, smaller. */
	middleware: AiSdkMiddleware;
	/** How full the window was at the last call; absent where the daemon could not be asked. */
	stats(): ContextStats | undefined;
	/** Makes room now. */
	compact(instructions?: string): Promise<Outcome>;
	/** Takes the newest decisions back. */
	undo(count?: number): Promise<Outcome>;
	/** What was shortened or left out: the whole of a call's result by its id, or where some words stand. For a tool. */
	recall(query: string): Promise<string>;
	/** How full the window is, in words. For a tool. */
	describe(): Promise<string>;
	/** Ends the daemon. */
	close(): Promise<void>;
}

/** A user's message as language models take it: its content is a list. */
function asPrompt(message: BlockMessage): BlockMessage {
	if (message.role !== 'user' || typeof message.content !== 'string') return message;
	return { ...message, content: [{ type: 'text', text: message.content }] };
}

/** An error as plain data. */
function plain(error: unknown): unknown {
	if (!(error instanceof Error)) return error;
	return { ...error, name: error.name, message: error.message };
}

/** Hears of the figures at the end of a stream, and hands on all of it. */
function listening(reported: (usage: Usage) => void): TransformStream<unknown, unknown> {
	return new TransformStream({
		transform(part, controller) {
			const isEnd = typeof part === 'object' && part !== null && 'type' in part && part.type === 'finish';
			const usage = isEnd && 'usage' in part ? usageOf(part.usage) : undefined;
			if (usage) reported(usage);
			controller.enqueue(part);
		},
	});
}

function defaultStore(): ViewStore {
	return viewFiles(join(stateDirectory(process.env, process.platform, homedir()), 'views'));
}

/** Holds one conversation. The daemon is started at once, and ends with this process at the latest. */
export function createAiSdkContext(options: AiSdkOptions): AiSdkContext {
	const { sessionId, provider, model, contextWindow, maxOutputTokens, toolResultTokens = 4000 } = options;
	const daemon = createDaemon(options.daemon);
	daemon.start();
	const conversation: Conversation<BlockMessage> = createConversation({
		sessionId,
		dialect: aiSdkDialect,
		ask: daemon.ask,
		clock: { now: () => Date.now() },
		store: options.store ?? defaultStore(),
		rules: { tokens: toolResultTokens },
		onAside: options.onAside,
	});
	const around: Surroundings = { provider, model, contextWindow, maxOutputTokens };
	const lists = wholeList();
	let stats: ContextStats | undefined;
	let counted = 0;

	async function shown(messages: readonly BlockMessage[]): Promise<BlockMessage[]> {
		const raw = lists.whole(messages);
		const view = await conversation.view(raw, around);
		stats = view.stats;
		lists.laid(raw, view.messages);
		return view.messages;
	}

	/** Calls the model, and again with less if it refused the prompt as too long; otherwise rejects as it did. */
	async function withRecovery<Result>(
		call: () => PromiseLike<Result>,
		params: { prompt: unknown },
		callAgain: (params: never) => PromiseLike<unknown>,
	): Promise<Result> {
		try {
			return await call();
		} catch (error) {
			const raw = lists.whole(params.prompt as BlockMessage[]);
			const messages = await conversation.recover(plain(error), raw, around);
			if (messages === undefined) throw error;
			lists.laid(raw, messages);
			return (await callAgain({ ...params, prompt: messages.map(asPrompt) } as never)) as Result;
		}
	}

	return {
		async prepareStep({ messages, steps }) {
			const usage = steps.length > counted ? usageOf(steps.at(-1)?.usage) : undefined;
			counted = steps.length;
			if (usage) conversation.reported(usage);
			return { messages: (await shown(messages as BlockMessage[])) as typeof messages };
		},
		middleware: {
			specificationVersion: 'v3',
			async transformParams({ params }) {
				return { ...params, prompt: (await shown(params.prompt as BlockMessage[])).map(asPrompt) };
			},
			async wrapGenerate<Result extends { usage: object }, Params extends { prompt: unknown }>({
				doGenerate,
				params,
				model: own,
			}: {
				doGenerate: () => PromiseLike<Result>;
				params: Params;
				model: { doGenerate(params: never): PromiseLike<unknown> };
			}): Promise<Result> {
				const result = await withRecovery(doGenerate, params, (smaller) => own.doGenerate(smaller));
				const usage = usageOf(result.usage);
				if (usage) conversation.reported(usage);
				return result;
			},
			async wrapStream<
				Result extends { stream: ReadableStream<unknown> },
				Params extends { prompt: unknown },
			>({
				doStream,
				params,
				model: own,
			}: {
				doStream: () => PromiseLike<Result>;
				params: Params;
				model: { doStream(params: never): PromiseLike<unknown> };
			}): Promise<Result> {
				const result = await withRecovery(doStream, params, (smaller) => own.doStream(smaller));
				return { ...result, stream: result.stream.pipeThrough(listening(conversation.reported)) };
			},
		},
		stats: () => stats,
		compact: (instructions) => conversation.compact(undefined, instructions),
		undo: (count) => conversation.undo(count),
		recall: (query) => recallText({ sessionId, ask: daemon.ask, conversation }, query),
		describe: () => statsText({ sessionId, ask: daemon.ask, conversation }),
		close: () => daemon.close(),
	};
}

function count(value: unknown): number {
	return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/**
 * Returns usage figures as the contract names them; undefined if there are none. A language model splits `inputTokens` by
 * what was cached (`{total, noCache, cacheRead, cacheWrite}`); a step reports one number and `inputTokenDetails`; versions
 * before 6 report `cachedInputTokens`.
 */
function usageOf(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	const input = value.inputTokens;
	const details = isFields(input) ? input : isFields(value.inputTokenDetails) ? value.inputTokenDetails : {};
	const total = isFields(input) ? count(input.total) : count(input);
	if (total === 0) return undefined;
	const read = count(details.cacheRead ?? details.cacheReadTokens ?? value.cachedInputTokens);
	const write = count(details.cacheWrite ?? details.cacheWriteTokens);
	const output = isFields(value.outputTokens) ? count(value.outputTokens.total) : count(value.outputTokens);
	return { input: Math.max(0, total - read - write), output, cacheRead: read, cacheWrite: write };
}

/** The list that was sent last, with the list that it replaced. */
interface WholeList {
	/** Returns a list with its own messages: if it begins with the list that was sent last, the replaced one takes its place. */
	whole(messages: readonly BlockMessage[]): readonly BlockMessage[];
	/** Remembers a list, and the one that was sent instead. */
	laid(raw: readonly BlockMessage[], shown: readonly BlockMessage[]): void;
}

/**
 * Some versions of the SDK go on from the messages that a step was given instead of their own: the list of the next step
 * begins with them then, and what was replaced in them must not be taken for what was said.
 */
function wholeList(): WholeList {
	let raw: readonly BlockMessage[] = [];
	let shown: readonly string[] = [];
	return {
		whole(messages) {
			const isBehind =
				shown.length > 0 &&
				messages.length >= shown.length &&
				shown.every((text, index) => text === JSON.stringify(messages[index]));
			return isBehind ? [...raw, ...messages.slice(shown.length)] : messages;
		},
		laid(list, messages) {
			raw = list;
			shown = messages.map((message) => JSON.stringify(message));
		},
	};
}
