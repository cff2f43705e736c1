/** The context of one conversation in a program that uses the AI SDK. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectOptions } from '../../server/client/client.ts';
import { isFields } from '../../server/core/shape.ts';
import { defaultStateFolder } from '../../server/node/stateFolder.ts';
import type { Usage } from '../../server/protocol/conversation.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import { createConversation } from '../conversation.ts';
import type { CommandOutcome, Conversation, RequestContext } from '../conversationTypes.ts';
import { aiSdkDialect } from '../dialects/aiSdk.ts';
import type { BlockMessage } from '../dialects/dialect.ts';
import { recallText, statsText } from '../lookups.ts';
import { createDaemon } from '../node/daemon.ts';
import { viewFiles } from '../node/viewFiles.ts';
import type { ViewStore } from '../ports.ts';
import { defaultResultTokens } from '../results.ts';

/** Options of a conversation. */
export interface AiSdkOptions {
	/** Names the conversation: the same id continues it, with its earlier decisions. */
	sessionId: string;
	/** For example `anthropic`; by default derived from the model's id. */
	provider?: string;
	/** The model's id. */
	model?: string;
	/** Tokens; by default the model's. */
	contextWindow?: number;
	/** Tokens that an answer may take; by default the model's. */
	maxOutputTokens?: number;
	/** Tokens above which a tool result is shortened when it arrives; by default 4,000; 0 shortens none. */
	toolResultTokens?: number;
	/** Where views are stored; by default as files in contextd's state folder. */
	store?: ViewStore;
	/** How the daemon is started; by default from this package. */
	daemon?: ConnectOptions;
	/** Called with one line about why the daemon was not asked or did not decide. */
	onWarning?(why: string): void;
}

/** A step of a run, as `prepareStep` gets it. */
export interface AiSdkStep {
	usage: object;
}

/** The middleware for `wrapLanguageModel`, for all versions of the SDK whose `prompt` is a list of messages. */
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

/** The context of one conversation. Use either `prepareStep` or `middleware`, not both. */
export interface AiSdkContext {
	/** For `generateText`, `streamText` and agents: returns the messages of the next step. */
	prepareStep<Message>(options: {
		messages: Message[];
		steps: readonly AiSdkStep[];
	}): Promise<{ messages: Message[] }>;
	/** For `wrapLanguageModel`: applies to every call of the model, and repeats a call that is refused as too long with less. */
	middleware: AiSdkMiddleware;
	/** How full the window was at the last call; undefined if the daemon could not be asked. */
	stats(): ContextStats | undefined;
	/** Compacts now. */
	compact(instructions?: string): Promise<CommandOutcome>;
	/** Undoes the newest decisions, by default one. */
	undo(count?: number): Promise<CommandOutcome>;
	/** For a tool: returns a shortened or removed result in full by its id, or the messages that contain some words. */
	recall(query: string): Promise<string>;
	/** For a tool: returns how full the window is, as text. */
	describe(): Promise<string>;
	/** Closes the connection to the daemon. */
	close(): Promise<void>;
}

/** Returns a user's message with its content as a list, as language models expect it. */
function asPrompt(message: BlockMessage): BlockMessage {
	if (message.role !== 'user' || typeof message.content !== 'string') return message;
	return { ...message, content: [{ type: 'text', text: message.content }] };
}

/** Returns an error as plain data. */
function plain(error: unknown): unknown {
	if (!(error instanceof Error)) return error;
	return { ...error, name: error.name, message: error.message };
}

/** Returns a stream that passes everything on and reports the usage figures at its end. */
function usageListener(report: (usage: Usage) => void): TransformStream<unknown, unknown> {
	return new TransformStream({
		transform(part, controller) {
			const isEnd = typeof part === 'object' && part !== null && 'type' in part && part.type === 'finish';
			const usage = isEnd && 'usage' in part ? usageOf(part.usage) : undefined;
			if (usage) report(usage);
			controller.enqueue(part);
		},
	});
}

function defaultStore(): ViewStore {
	return viewFiles(join(defaultStateFolder(process.env, process.platform, homedir()), 'views'));
}

/** What the middleware needs of its conversation. */
interface MiddlewareParts {
	/** Returns the view of a prompt. */
	shown(messages: readonly BlockMessage[]): Promise<BlockMessage[]>;
	/** Returns a smaller prompt after an error; undefined if the prompt was not the cause. */
	smaller(error: unknown, prompt: BlockMessage[]): Promise<BlockMessage[] | undefined>;
	reportUsage(usage: Usage): void;
}

function middlewareOf({ shown, smaller, reportUsage }: MiddlewareParts): AiSdkMiddleware {
	/** Calls the model. If it refuses the prompt as too long, calls it again with a smaller one. Rejects with other errors. */
	async function withRecovery<Result>(
		call: () => PromiseLike<Result>,
		params: { prompt: unknown },
		callAgain: (params: never) => PromiseLike<unknown>,
	): Promise<Result> {
		try {
			return await call();
		} catch (error) {
			const messages = await smaller(error, params.prompt as BlockMessage[]);
			if (messages === undefined) throw error;
			return (await callAgain({ ...params, prompt: messages.map(asPrompt) } as never)) as Result;
		}
	}

	return {
		specificationVersion: 'v3',
		async transformParams({ params }) {
			return { ...params, prompt: (await shown(params.prompt as BlockMessage[])).map(asPrompt) };
		},
		async wrapGenerate({ doGenerate, params, model }) {
			const result = await withRecovery(doGenerate, params, (again) => model.doGenerate(again));
			const usage = usageOf(result.usage);
			if (usage) reportUsage(usage);
			return result;
		},
		async wrapStream({ doStream, params, model }) {
			const result = await withRecovery(doStream, params, (again) => model.doStream(again));
			return { ...result, stream: result.stream.pipeThrough(usageListener(reportUsage)) };
		},
	};
}

/** Returns the context of one conversation. Starts the daemon at once; the connection ends with this process. */
export function createAiSdkContext(options: AiSdkOptions): AiSdkContext {
	const {
		sessionId,
		provider,
		model,
		contextWindow,
		maxOutputTokens,
		toolResultTokens = defaultResultTokens,
	} = options;
	const daemon = createDaemon(options.daemon);
	daemon.start();
	const conversation: Conversation<BlockMessage> = createConversation({
		sessionId,
		dialect: aiSdkDialect,
		ask: daemon.ask,
		clock: { now: () => Date.now() },
		store: options.store ?? defaultStore(),
		rules: { tokens: toolResultTokens },
		onWarning: options.onWarning,
	});
	const around: RequestContext = { provider, model, contextWindow, maxOutputTokens };
	const lists = wholeList();
	let stats: ContextStats | undefined;
	let counted = 0;

	async function shown(messages: readonly BlockMessage[]): Promise<BlockMessage[]> {
		const raw = lists.whole(messages);
		const view = await conversation.view(raw, around);
		stats = view.stats;
		lists.sent(raw, view.messages);
		return view.messages;
	}

	return {
		async prepareStep({ messages, steps }) {
			const usage = steps.length > counted ? usageOf(steps.at(-1)?.usage) : undefined;
			counted = steps.length;
			if (usage) conversation.reportUsage(usage);
			return { messages: (await shown(messages as BlockMessage[])) as typeof messages };
		},
		middleware: middlewareOf({
			shown,
			async smaller(error, prompt) {
				const raw = lists.whole(prompt);
				const messages = await conversation.recover(plain(error), raw, around);
				if (messages !== undefined) lists.sent(raw, messages);
				return messages;
			},
			reportUsage: (usage) => conversation.reportUsage(usage),
		}),
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

/** Remembers the list that was sent last, and the list that it replaced. */
interface WholeList {
	/** Returns a list with its own messages: if it begins with the list that was sent last, the replaced one takes its place. */
	whole(messages: readonly BlockMessage[]): readonly BlockMessage[];
	/** Remembers a list, and the one that was sent instead. */
	sent(raw: readonly BlockMessage[], shown: readonly BlockMessage[]): void;
}

/**
 * Some versions of the SDK continue from the messages that a step was sent instead of their own. The next list then begins
 * with the shortened messages, which must not be taken for the conversation.
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
		sent(list, messages) {
			raw = list;
			shown = messages.map((message) => JSON.stringify(message));
		},
	};
}
