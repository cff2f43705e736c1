/**
 * Asks models of providers through the AI SDK. This file and the libraries of the providers are a separate bundle, which is
 * loaded at the first question.
 */

import { generateText, type LanguageModel, streamText } from 'ai';
import { CallFailure } from '../../core/ask/callFailure.ts';
import { lookupModel } from '../../core/models/registry.ts';
import type { Environment } from '../../core/shape.ts';
import type { ChainLink } from '../../protocol/chain.ts';
import type { SummarizeResult } from '../../protocol/push.ts';
import type { AskModel, ModelQuestion } from '../../session/ports.ts';
import { findProviderAccess, listSecrets } from './access.ts';
import { removeSecrets, toCallFailure } from './callProblem.ts';
import { compactAtEndpoint } from './compactEndpoint.ts';
import { createLanguageModel } from './languageModel.ts';

/** Tokens that are added for thinking, at providers that count thinking as part of the answer. */
const thinkingTokens = 8192;
const thinkingProviders: ReadonlySet<string> = new Set(['openai', 'azure', 'google', 'vertex']);

/** Finish reasons of answers that were interrupted. */
const interruptedReasons: ReadonlySet<string> = new Set(['other', 'unknown', 'error']);

// Otherwise the SDK would write warnings to the standard output, which is reserved for the protocol.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

function computeMaxAnswerTokens(link: ChainLink, { maxTokens }: ModelQuestion): number {
	const { outputLimit } = lookupModel(link.provider, link.model);
	const wantedTokens = maxTokens + (thinkingProviders.has(link.provider) ? thinkingTokens : 0);
	return Math.max(maxTokens, Math.min(wantedTokens, outputLimit ?? wantedTokens));
}

interface GeneratedAnswer {
	text: string;
	finishReason: string;
	inputTokens: number | undefined;
	outputTokens: number | undefined;
}

type Call = Parameters<typeof generateText>[0];

async function generateAtOnce(call: Call): Promise<GeneratedAnswer> {
	const { text, finishReason, usage } = await generateText(call);
	return { text, finishReason, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
}

async function generateStreamed(call: Call): Promise<GeneratedAnswer> {
	// The empty listener keeps errors out of the console. They also arrive as parts of the stream.
	const { fullStream } = streamText({ ...call, onError: () => {} });
	const result: GeneratedAnswer = {
		text: '',
		finishReason: 'unknown',
		inputTokens: undefined,
		outputTokens: undefined,
	};
	for await (const part of fullStream) {
		if (part.type === 'error') throw part.error;
		if (part.type === 'abort') call.abortSignal?.throwIfAborted();
		if (part.type === 'text-delta') result.text += part.text;
		if (part.type !== 'finish') continue;
		result.finishReason = part.finishReason;
		result.inputTokens = part.totalUsage.inputTokens;
		result.outputTokens = part.totalUsage.outputTokens;
	}
	return result;
}

function createCall(
	link: ChainLink,
	model: LanguageModel,
	question: ModelQuestion,
	abortSignal: AbortSignal,
): Call {
	return {
		model,
		system: question.system,
		prompt: question.prompt,
		maxOutputTokens: computeMaxAnswerTokens(link, question),
		maxRetries: 0,
		abortSignal,
		// Providers must not store the conversation.
		providerOptions: { openai: { store: false } },
	};
}

function toSummaryResult(
	{ text, finishReason, inputTokens, outputTokens }: GeneratedAnswer,
	model: string,
): SummarizeResult {
	if (interruptedReasons.has(finishReason))
		throw new CallFailure('the answer was interrupted', { retryable: true });
	return {
		text,
		stopReason: finishReason,
		model,
		...(inputTokens !== undefined &&
			outputTokens !== undefined && { usage: { input: inputTokens, output: outputTokens } }),
	};
}

/**
 * Creates a function that asks models of providers. Keys come from the links or from `environment`; answers and errors never
 * contain keys.
 *
 * @param now returns the current time in milliseconds since the epoch
 */
export function createAskProvider(environment: Environment, now: () => number): AskModel {
	return async (link, question, signal) => {
		const { provider } = link;
		if (provider === 'client' || provider === 'extractive')
			throw new CallFailure(`${provider} is not a model of a provider`, { retryable: false });
		let secrets: string[] = [];
		try {
			const access = findProviderAccess({ ...link, provider }, environment);
			secrets = listSecrets(link, access);
			if (provider === 'openai-compact')
				return await compactAtEndpoint(link, access, question, { signal, secrets });
			const model = createLanguageModel({ ...link, provider }, access, environment);
			const call = createCall(link, model, question, signal);
			const answer = await (link.stream === false ? generateAtOnce(call) : generateStreamed(call));
			return toSummaryResult(
				{ ...answer, text: removeSecrets(answer.text, secrets) },
				link.model ?? provider,
			);
		} catch (error) {
			signal.throwIfAborted();
			throw toCallFailure(error, secrets, now());
		}
	};
}
