import { withoutUndefined } from '../../shape.ts';
import { documentMessages } from '../messages/arrays.ts';
import type { CallLog, CallRule } from '../reading/calls.ts';
import { jsonFields } from '../reading/settings.ts';
import { fieldsOf, firstNumber, firstText, timeOf } from '../reading/values.ts';
import { uiMessagesOf, usageOfRequest, usageWithCachedInput } from './figures.ts';

/** Adds a request from the list of messages that the user saw, which states the request's cost. */
function readRequest(log: CallLog, message: unknown, about: { model?: string; provider?: string }): void {
	const { say, text, ts } = fieldsOf(message);
	if (say === 'condense_context') log.recordCompaction();
	if (say !== 'api_req_started' || typeof text !== 'string') return;
	const request = jsonFields(text);
	const usage = usageOfRequest(request);
	if (usage === undefined) return;
	const usd = firstNumber(request.cost) || undefined;
	log.add(withoutUndefined({ ...about, id: `${firstNumber(ts) ?? ''}`, at: timeOf(ts), usage, usd }));
}

/** Calls in the tasks of Cline and of extensions derived from it. */
export const clineCalls: CallRule = {
	start: (log) => (record) => {
		const { cwd, model, provider } = fieldsOf(record);
		log.setFacts({ folder: firstText(cwd), model: firstText(model), provider: firstText(provider) });
		const seen = uiMessagesOf(record);
		const messages = documentMessages(record) ?? [];
		const newest = messages.findLast((one) => fieldsOf(one).modelInfo !== undefined);
		const { modelInfo } = fieldsOf(newest);
		const info = fieldsOf(modelInfo);
		const about = withoutUndefined({
			model: firstText(info.modelId, info.id),
			provider: firstText(info.providerId, info.provider),
		});
		for (const one of seen) readRequest(log, one, about);
		if (seen.length > 0) return;
		for (const one of messages) {
			const { metrics, ts, id } = fieldsOf(one);
			const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost } = fieldsOf(metrics);
			const usage = usageWithCachedInput(inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens);
			const usd = firstNumber(cost) || undefined;
			const key = firstText(id) ?? `${firstNumber(ts) ?? ''}`;
			if (usage !== undefined) log.add(withoutUndefined({ ...about, id: key, at: timeOf(ts), usage, usd }));
		}
	},
};
