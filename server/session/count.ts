/** Counts tokens without a session. */

import { Failure } from '../core/failure.ts';
import { checkUsageFigures } from '../core/format/contextd.ts';
import { getFormatAdapter } from '../core/format/formats.ts';
import { estimateHeuristicTokens, tokensPerConversation } from '../core/measure/text/heuristic.ts';
import { truncateToTokenBudget } from '../core/measure/truncateToTokenBudget.ts';
import { computeBudget, computeUsageRatio } from '../core/models/budget.ts';
import { findModelProvider } from '../core/models/familyName.ts';
import { canonicalizeProvider } from '../core/models/provider.ts';
import { applySessionSettings } from '../core/models/registry.ts';
import type { ChatMessage } from '../protocol/conversation.ts';
import type {
	CountParams,
	CountResult,
	TruncateToTokenBudgetParams,
	TruncateToTokenBudgetResult,
} from '../protocol/measuring.ts';
import type { Breakdown } from '../protocol/stats.ts';
import type { ClientContext } from './clientContext.ts';
import { addMessageIndex } from './ingest.ts';
import type { SessionServices } from './services.ts';

/** Parses messages of the `contextd` format. Throws `InvalidParams` that names the invalid field. */
export function parseNeutralMessages(messages: readonly unknown[]): ChatMessage[] {
	return messages.flatMap((raw, index) => {
		try {
			const parts = getFormatAdapter('contextd').parse(raw);
			for (const part of parts) checkUsageFigures(part);
			return parts;
		} catch (error) {
			throw error instanceof Failure ? addMessageIndex(error, index) : error;
		}
	});
}

/** Counts a text, messages and a request together, against a model's budget. */
export async function countWithoutSession(
	services: SessionServices,
	client: ClientContext,
	params: CountParams,
): Promise<CountResult> {
	const clientSettings = client.getSettings();
	const { model = '', provider = findModelProvider(model), estimator = clientSettings.estimator } = params;
	const settings = applySessionSettings(clientSettings, { provider, model });
	await services.measures.load(provider, model, estimator);
	const measure = services.measures.getMeasure(provider, model, estimator);
	const { messages = [], text: plainText = '', isCode } = params;
	const isHeuristic = measure.estimator === 'heuristic';
	const framingTokens = isHeuristic && messages.length > 0 ? tokensPerConversation : 0;
	const historyTokens = messages
		.map((message) => measure.countMessage(message))
		.reduce((sum, { text, calls, images }) => sum + text + calls + images, framingTokens);
	const request = measure.countRequest(params.request ?? {});
	const textTokens =
		isHeuristic && isCode
			? estimateHeuristicTokens(plainText.length, canonicalizeProvider(provider), 'code')
			: measure.countText(plainText);
	const breakdown: Breakdown = { ...request, conversationHistory: historyTokens + textTokens, other: 0 };
	const tokens = Object.values(breakdown).reduce((sum, value) => sum + value, 0);
	const budget = computeBudget({
		provider,
		model,
		settings,
		maxOutputTokens: params.request?.maxOutputTokens,
		systemPromptTokens: request.systemPrompt,
	});
	const ratio = computeUsageRatio(tokens, budget.available);
	return {
		tokens,
		breakdown,
		availableInputTokens: budget.available,
		usageRatio: ratio,
		withinBudget: tokens <= budget.available,
		shouldCompact:
			settings.tokenThreshold > 0 ? tokens >= settings.tokenThreshold : ratio >= budget.thresholds.compact,
	};
}

/** Upper bound of the average UTF-16 units per token in any vocabulary; only runs of blanks exceed it. */
const maxUnitsPerToken = 64;

/** Returns the beginning of a text that fits into a token budget. The cost grows with the budget, not with the text. */
export async function truncateForModel(
	services: SessionServices,
	client: ClientContext,
	{ text, tokens, ...options }: TruncateToTokenBudgetParams,
): Promise<TruncateToTokenBudgetResult> {
	const settings = client.getSettings();
	const { model = '', provider = findModelProvider(model), estimator = settings.estimator } = options;
	await services.measures.load(provider, model, estimator);
	const measure = services.measures.getMeasure(provider, model, estimator);
	const beginning = text.slice(0, maxUnitsPerToken * (tokens + 1));
	const truncation = truncateToTokenBudget(beginning, tokens, measure.countText);
	const isWhole = beginning.length === text.length || truncation.truncated;
	return isWhole ? truncation : truncateToTokenBudget(text, tokens, measure.countText);
}
