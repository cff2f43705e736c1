/** Asks the user's configured models to summarize files that are too large. */

import { RefusedAnswer } from '../../core/ask/callFailure.ts';
import { type ResolvedLink, resolveChain } from '../../core/ask/chain.ts';
import type { TokenMeasure } from '../../core/files/cutAtLine.ts';
import { createFileSummaryPrompt, splitAtLines } from '../../core/files/fileSummary.ts';
import { summaryFramingTokens } from '../../core/files/tuning.ts';
import { isComplete } from '../../core/modelSummary/accept.ts';
import type { ClientContext } from '../clientContext.ts';
import { maxInputTokens, minInputTokens, tokenCountMargin } from '../compaction/tuning.ts';
import { type AskCurrentModel, askChain, findLinkWindow } from '../models/askChain.ts';
import type { SessionServices } from '../services.ts';

/** A file to summarize. */
export interface LargeFile {
	path: string;
	text: string;
	/** Maximum tokens of the summary. */
	maxTokens: number;
}

export interface FileSummary {
	text: string;
	tokens: number;
	/** Name of the model that wrote the summary. */
	by: string;
}

/** The client, measure and session for which files are summarized. */
export interface FileSummarizerContext {
	services: SessionServices;
	/** The client whose models are asked. */
	client: ClientContext;
	measure: TokenMeasure;
	/** Absent if the summaries are not for a session. */
	sessionId?: string;
}

/** Summarizes a file; undefined if no model gave a usable summary. Rejects only if cancelled. */
export type SummarizeFile = (file: LargeFile, signal: AbortSignal) => Promise<FileSummary | undefined>;

function computeMaxInputTokens(link: ResolvedLink, maxTokens: number, client: ClientContext): number {
	const window = findLinkWindow(link, client.getSettings().models);
	const available = Math.floor((window - summaryFramingTokens - 2 * maxTokens) / tokenCountMargin);
	return Math.min(maxInputTokens, available);
}

async function summarizeWithModel(
	link: ResolvedLink,
	ask: AskCurrentModel,
	{ path, text, maxTokens }: LargeFile,
	{ client, measure }: FileSummarizerContext,
): Promise<FileSummary> {
	const inputTokens = computeMaxInputTokens(link, maxTokens, client);
	const tokensBefore = measure.count(text);
	if (inputTokens < minInputTokens) {
		const message = `its window leaves ${Math.max(0, inputTokens)} tokens for the file`;
		throw new RefusedAnswer({ code: 'NO_TOKEN_BUDGET', message, retryable: false, tokensBefore });
	}
	let before: string | undefined;
	for (const piece of splitAtLines(text, inputTokens, measure)) {
		const answer = await ask(createFileSummaryPrompt(piece, { path, before, maxTokens }));
		const tokensAfter = measure.count(answer.text.trim());
		const createRefusal = (code: 'INVALID_SUMMARY' | 'CONTEXT_GROWTH', message: string) =>
			new RefusedAnswer({ code, message, retryable: true, tokensBefore, tokensAfter });
		if (!isComplete(answer))
			throw createRefusal('INVALID_SUMMARY', `the answer ended with "${answer.stopReason}"`);
		if (tokensAfter === 0) throw createRefusal('INVALID_SUMMARY', 'the answer is empty');
		if (tokensAfter > maxTokens)
			throw createRefusal(
				'CONTEXT_GROWTH',
				`it has ${tokensAfter} tokens, but only ${maxTokens} are allowed`,
			);
		before = answer.text.trim();
	}
	return { text: before ?? '', tokens: measure.count(before ?? ''), by: '' };
}

/** Returns the cache key of a file and the models to ask, since a summary is not reused for other models. */
function buildCacheKey(text: string, links: readonly ResolvedLink[], { digest }: SessionServices): string {
	const models = links.map(({ provider, model = '', baseURL = '' }) => [provider, model, baseURL]);
	return JSON.stringify([digest(text), models]);
}

/**
 * Returns a function that summarizes a file; undefined if this is turned off or no model is configured.
 *
 * The client's own model is asked only for a session, since otherwise the client could not say what the file is for.
 */
export function createFileSummarizer(context: FileSummarizerContext): SummarizeFile | undefined {
	const { services, client, measure, sessionId } = context;
	const { summarization } = client.getSettings();
	const { askModel } = client;
	if (!summarization.files || !askModel) return undefined;
	const chain = resolveChain(summarization, {}, sessionId !== undefined && client.hasModel());
	if (chain.links.length === 0) return undefined;
	const { fileSummaries: cache } = services;
	return async (file, signal) => {
		const key = buildCacheKey(file.text, chain.links, services);
		const cachedSummary = await cache?.read(key);
		const tokens = cachedSummary && measure.count(cachedSummary.text);
		if (cachedSummary && tokens !== undefined && tokens <= file.maxTokens)
			return { ...cachedSummary, tokens };
		const chainContext = {
			sessionId: sessionId ?? '',
			chain,
			ask: askModel,
			signal,
			now: services.now,
			wait: services.wait,
			onFallback: (from: string, to: string, reason: string) =>
				client.log.warn(`${from} gave no summary of a file, asking ${to}: ${reason}`),
		};
		const { value, by } = await askChain(chainContext, (ask, link) =>
			summarizeWithModel(link, ask, file, context),
		);
		if (!value) return undefined;
		await cache?.write(key, { text: value.text, by });
		return { ...value, by };
	};
}
