/** Counting without a session. */

import { Failure } from '../core/failure.ts';
import { formatAdapter } from '../core/format/formats.ts';
import { budgetOf, usageRatio } from '../core/models/budget.ts';
import { providerOfModel } from '../core/models/familyName.ts';
import type { ChatMessage } from '../protocol/conversation.ts';
import type { Breakdown, CountParams, CountResult } from '../protocol/stats.ts';
import { atMessage } from './ingest.ts';
import type { World } from './world.ts';

/** Messages of the `contextd` format as they are counted. Throws `InvalidParams` that names the field which is wrong. */
export function neutralMessages(messages: readonly unknown[]): ChatMessage[] {
	return messages.flatMap((raw, index) => {
		try {
			return formatAdapter('contextd').parse(raw);
		} catch (error) {
			throw error instanceof Failure ? atMessage(error, index) : error;
		}
	});
}

/** Tokens of a text, of messages and of a request together, against the budget of a model. */
export async function countLoose(world: World, order: CountParams): Promise<CountResult> {
	const settings = world.settings();
	const { model = '', provider = providerOfModel(model), estimator = settings.estimator } = order;
	await world.measures.ready(provider, model, estimator);
	const measure = world.measures.for(provider, model, estimator);
	const history = (order.messages ?? [])
		.map((message) => measure.countMessage(message))
		.reduce((sum, { text, calls, images }) => sum + text + calls + images, 0);
	const request = measure.countRequest(order.request ?? {});
	const text = order.text === undefined ? 0 : measure.countText(order.text);
	const breakdown: Breakdown = { ...request, conversationHistory: history + text, other: 0 };
	const tokens = Object.values(breakdown).reduce((sum, value) => sum + value, 0);
	const budget = budgetOf({
		provider,
		model,
		settings,
		maxOutputTokens: order.request?.maxOutputTokens,
		systemPrompt: request.systemPrompt,
	});
	const ratio = usageRatio(tokens, budget.available);
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
