/** The context of one conversation in a program that uses the AI SDK. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ConnectOptions } from '../../server/client/client.ts';
import { isFields } from '../../server/core/shape.ts';
import { getDefaultStateFolder } from '../../server/node/stateFolder.ts';
import type { Usage } from '../../server/protocol/conversation.ts';
import type { ContextStats } from '../../server/protocol/stats.ts';
import { createConversation } from '../conversation.ts';
import type { CommandOutcome, Conversation, RequestContext } from '../conversationTypes.ts';
import { aiSdkDialect } from '../dialects/aiSdk.ts';
import type { BlockMessage } from '../dialects/dialect.ts';
import { createRecallText, createStatsText } from '../lookups.ts';
import { createDaemon } from '../node/daemon.ts';
import { createViewFiles } from '../node/viewFiles.ts';
import type { ViewStore } from '../ports.ts';
import { defaultResultTokens } from '../results.ts';

/** Options of a conversation. */
export interface AiSdkOptions {
	/** Id of the conversation. A later process that passes the same id continues the conversation with its earlier decisions. */
	sessionId: string;
	/** The model's provider, for example `anthropic`; by default derived from the model's id. */
	provider?: string;
	/** The model's id. */
	model?: string;
	/** Size of the window in tokens; by default the model's. */
	contextWindow?: number;
	/** Tokens that an answer may take; by default the model's. */
	maxOutputTokens?: number;
	/** Tokens above which a tool result is shortened when it arrives; by default 4,000; 0 shortens none. */
	toolResultTokens?: number;
	/** Where views are stored; by default as files in contextd's state folder. */
	store?: ViewStore;
	/** Options for starting the daemon; by default the daemon of this package is started. */
	daemon?: ConnectOptions;
	/** Called with a line that says why the daemon could not be asked or made no decision. */
	onWarning?(why: string): void;
}

/** A step of a run, as `prepareStep` gets it. */
export interface AiSdkStep {
	usage: object;
}

/** The middleware for `wrapLanguageModel`. Works with every version of the SDK whose `prompt` is a list of messages. */
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
	/** For `wrapLanguageModel`: applies to every call. Repeats a call with a shorter prompt if the provider refuses it as too long. */
	middleware: AiSdkMiddleware;
	/** How full the window was at the last call; undefined if the daemon could not be asked. */
	stats(): ContextStats | undefined;
	/** Compacts the conversation now; `instructions` say what a summary must keep. */
	compact(instructions?: string): Promise<CommandOutcome>;
	/** Undoes the newest decisions, by default one. */
	undo(count?: number): Promise<CommandOutcome>;
	/** For a tool: returns a shortened or removed result in full if `query` is its id, else the messages that contain its words. */
	recall(query: string): Promise<string>;
	/** For a tool: returns how full the window is, as text. */
	describe(): Promise<string>;
	/** Closes the connection to the daemon. */
	close(): Promise<void>;
}

/** Returns a user's message with its content as a list, as language models expect it. */
function toPromptMessage(message: BlockMessage): BlockMessage {
	if (message.role !== 'user' || typeof message.content !== 'string') return message;
	return { ...message, content: [{ type: 'text', text: message.content }] };
}

/** Returns an error as plain data that can be sent as JSON. */
function errorToData(error: unknown): unknown {
	if (!(error instanceof Error)) return error;
	return { ...error, name: error.name, message: error.message };
}

/** Returns a stream that forwards every part and reports the usage figures in the last one. */
function reportUsageAtEnd(report: (usage: Usage) => void): TransformStream<unknown, unknown> {
	return new TransformStream({
		transform(part, controller) {
			const isEnd = typeof part === 'object' && part !== null && 'type' in part && part.type === 'finish';
			const usage = isEnd && 'usage' in part ? parseUsage(part.usage) : undefined;
			if (usage) report(usage);
			controller.enqueue(part);
		},
	});
}

/** The functions of a conversation that the middleware calls. */
interface MiddlewareConversation {
	/** Returns the messages to send instead of a prompt. */
	toPrompt(messages: readonly BlockMessage[]): Promise<BlockMessage[]>;
	/** Returns a shorter prompt after an error; undefined if the prompt's length was not the cause. */
	shrinkPrompt(error: unknown, prompt: BlockMessage[]): Promise<BlockMessage[] | undefined>;
	reportUsage(usage: Usage): void;
}

function createMiddleware({ toPrompt, shrinkPrompt, reportUsage }: MiddlewareConversation): AiSdkMiddleware {
	/** Calls the model. If it refuses the prompt as too long, calls it again with a smaller one. Rejects with other errors. */
	async function withRecovery<Result>(
		call: () => PromiseLike<Result>,
		params: { prompt: unknown },
		callAgain: (params: never) => PromiseLike<unknown>,
	): Promise<Result> {
		try {
			return await call();
		} catch (error) {
			const messages = await shrinkPrompt(error, params.prompt as BlockMessage[]);
			if (messages === undefined) throw error;
			return (await callAgain({ ...params, prompt: messages.map(toPromptMessage) } as never)) as Result;
		}
	}

	return {
		specificationVersion: 'v3',
		async transformParams({ params }) {
			return { ...params, prompt: (await toPrompt(params.prompt as BlockMessage[])).map(toPromptMessage) };
		},
		async wrapGenerate({ doGenerate, params, model }) {
			const result = await withRecovery(doGenerate, params, (shorter) => model.doGenerate(shorter));
			const usage = parseUsage(result.usage);
			if (usage) reportUsage(usage);
			return result;
		},
		async wrapStream({ doStream, params, model }) {
			const result = await withRecovery(doStream, params, (shorter) => model.doStream(shorter));
			return { ...result, stream: result.stream.pipeThrough(reportUsageAtEnd(reportUsage)) };
		},
	};
}

/** Creates the context of one conversation. Starts the daemon at once; the connection closes when this process ends. */
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
		store:
			options.store ??
			createViewFiles(join(getDefaultStateFolder(process.env, process.platform, homedir()), 'views')),
		rules: { tokens: toolResultTokens },
		onWarning: options.onWarning,
	});
	const context: RequestContext = { provider, model, contextWindow, maxOutputTokens };
	const originals = new OriginalMessages();
	let stats: ContextStats | undefined;
	let countedSteps = 0;

	async function toPrompt(messages: readonly BlockMessage[]): Promise<BlockMessage[]> {
		const originalMessages = originals.restore(messages);
		const view = await conversation.view(originalMessages, context);
		stats = view.stats;
		originals.recordSent(originalMessages, view.messages);
		return view.messages;
	}

	return {
		async prepareStep({ messages, steps }) {
			const usage = steps.length > countedSteps ? parseUsage(steps.at(-1)?.usage) : undefined;
			countedSteps = steps.length;
			if (usage) conversation.reportUsage(usage);
			return { messages: (await toPrompt(messages as BlockMessage[])) as typeof messages };
		},
		middleware: createMiddleware({
			toPrompt,
			async shrinkPrompt(error, prompt) {
				const originalMessages = originals.restore(prompt);
				const messages = await conversation.recover(errorToData(error), originalMessages, context);
				if (messages !== undefined) originals.recordSent(originalMessages, messages);
				return messages;
			},
			reportUsage: (usage) => conversation.reportUsage(usage),
		}),
		stats: () => stats,
		compact: (instructions) => conversation.compact(undefined, instructions),
		undo: (count) => conversation.undo(count),
		recall: (query) => createRecallText({ sessionId, ask: daemon.ask, conversation }, query),
		describe: () => createStatsText({ sessionId, ask: daemon.ask, conversation }),
		close: () => daemon.close(),
	};
}

function toNumber(value: unknown): number {
	return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/**
 * Converts the SDK's usage figures to those of the contract; undefined if there are none. Language models split `inputTokens`
 * by what was cached (`{total, noCache, cacheRead, cacheWrite}`), steps report a number and `inputTokenDetails`, and versions
 * before 6 report `cachedInputTokens`.
 */
function parseUsage(value: unknown): Usage | undefined {
	if (!isFields(value)) return undefined;
	const input = value.inputTokens;
	const details = isFields(input) ? input : isFields(value.inputTokenDetails) ? value.inputTokenDetails : {};
	const total = isFields(input) ? toNumber(input.total) : toNumber(input);
	if (total === 0) return undefined;
	const read = toNumber(details.cacheRead ?? details.cacheReadTokens ?? value.cachedInputTokens);
	const write = toNumber(details.cacheWrite ?? details.cacheWriteTokens);
	const output = isFields(value.outputTokens)
		? toNumber(value.outputTokens.total)
		: toNumber(value.outputTokens);
	return { input: Math.max(0, total - read - write), output, cacheRead: read, cacheWrite: write };
}

/**
 * Remembers original messages for versions of the SDK that build the next list on the sent messages. Such a list begins with
 * shortened messages, which must not be mistaken for the conversation.
 */
class OriginalMessages {
	#originals: readonly BlockMessage[] = [];
	#sentTexts: readonly string[] = [];

	/** Returns a list with original messages in place of the messages sent last, if it begins with those. */
	restore(messages: readonly BlockMessage[]): readonly BlockMessage[] {
		const { length } = this.#sentTexts;
		const isContinued =
			length > 0 && this.#sentTexts.every((text, index) => text === JSON.stringify(messages[index]));
		return isContinued ? [...this.#originals, ...messages.slice(length)] : messages;
	}

	/** Remembers a list of original messages, and the messages that were sent in its place. */
	recordSent(originals: readonly BlockMessage[], sent: readonly BlockMessage[]): void {
		this.#originals = originals;
		this.#sentTexts = sent.map((message) => JSON.stringify(message));
	}
}
