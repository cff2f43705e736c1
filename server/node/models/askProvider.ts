/**
 * Models of providers, by the AI SDK. All that the libraries bring stands in a bundle of its own, which is read when the
 * first of them is asked.
 */

import { generateText, type LanguageModel, streamText } from 'ai';
import { CallFailure } from '../../core/ask/callFailure.ts';
import { lookupModel } from '../../core/models/registry.ts';
import type { SummarizeResult } from '../../protocol/push.ts';
import type { ChainLink } from '../../protocol/settings.ts';
import type { AskModel, ModelQuestion } from '../../session/ports.ts';
import { accessOf, type Environment, secretsOf } from './access.ts';
import { callFailure, withoutSecrets } from './callProblem.ts';
import { compactAtEndpoint } from './compactEndpoint.ts';
import { languageModel } from './languageModel.ts';

/** Tokens for thinking, which these providers count as part of the answer. */
const thinking = 8192;
const countsThinking: ReadonlySet<string> = new Set(['openai', 'azure', 'google', 'vertex']);

/** The words for an end that tells of none: the answer broke off. */
const brokenOff: ReadonlySet<string> = new Set(['other', 'unknown', 'error']);

// The SDK's warnings would go to the standard output, which is the protocol's alone.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

function answerTokens(link: ChainLink, { maxTokens }: ModelQuestion): number {
	const { outputLimit } = lookupModel(link.provider, link.model);
	const wanted = maxTokens + (countsThinking.has(link.provider) ? thinking : 0);
	return Math.max(maxTokens, Math.min(wanted, outputLimit ?? wanted));
}

interface Told {
	text: string;
	finishReason: string;
	inputTokens: number | undefined;
	outputTokens: number | undefined;
}

type Call = Parameters<typeof generateText>[0];

async function whole(call: Call): Promise<Told> {
	const { text, finishReason, usage } = await generateText(call);
	return { text, finishReason, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens };
}

async function streamed(call: Call): Promise<Told> {
	// Without a listener, errors would be written to the console; they come as parts as well.
	const { fullStream } = streamText({ ...call, onError: () => {} });
	const told: Told = { text: '', finishReason: 'unknown', inputTokens: undefined, outputTokens: undefined };
	for await (const part of fullStream) {
		if (part.type === 'error') throw part.error;
		if (part.type === 'abort') call.abortSignal?.throwIfAborted();
		if (part.type === 'text-delta') told.text += part.text;
		if (part.type !== 'finish') continue;
		told.finishReason = part.finishReason;
		told.inputTokens = part.totalUsage.inputTokens;
		told.outputTokens = part.totalUsage.outputTokens;
	}
	return told;
}

function callOf(
	link: ChainLink,
	model: LanguageModel,
	question: ModelQuestion,
	abortSignal: AbortSignal,
): Call {
	return {
		model,
		system: question.system,
		prompt: question.prompt,
		maxOutputTokens: answerTokens(link, question),
		maxRetries: 0,
		abortSignal,
		// What is summarized is nobody's to keep.
		providerOptions: { openai: { store: false } },
	};
}

function resultOf({ text, finishReason, inputTokens, outputTokens }: Told, model: string): SummarizeResult {
	if (brokenOff.has(finishReason))
		throw new CallFailure('the answer broke off before its end', { retryable: true });
	return {
		text,
		stopReason: finishReason,
		model,
		...(inputTokens !== undefined &&
			outputTokens !== undefined && { usage: { input: inputTokens, output: outputTokens } }),
	};
}

/**
 * Asks the models of providers. Keys stand in the links or in `environment`; none of them in what comes back.
 *
 * @param now milliseconds since the epoch
 */
export function createAskProvider(environment: Environment, now: () => number): AskModel {
	return async (link, question, signal) => {
		const { provider } = link;
		if (provider === 'client' || provider === 'extractive') {
			throw new CallFailure(`${provider} is no model of a provider`, { retryable: false });
		}
		let secrets: string[] = [];
		try {
			const access = accessOf({ ...link, provider }, environment);
			secrets = secretsOf(link, access);
			if (provider === 'openai-compact') {
				return await compactAtEndpoint(link, access, question, { signal, secrets });
			}
			const model = languageModel({ ...link, provider }, access, environment);
			const call = callOf(link, model, question, signal);
			const told = await (link.stream === false ? whole(call) : streamed(call));
			return resultOf({ ...told, text: withoutSecrets(told.text, secrets) }, link.model ?? provider);
		} catch (error) {
			signal.throwIfAborted();
			throw callFailure(error, secrets, now());
		}
	};
}
