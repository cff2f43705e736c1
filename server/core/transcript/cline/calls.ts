import { asFields, firstNumber, firstText, parseTime } from '../../values.ts';
import { listDocumentMessages } from '../messages/arrays.ts';
import type { CallLog, CallRule } from '../reading/calls.ts';
import { listUiMessages, parseRequest, readRequestUsage, readTokenUsage } from './figures.ts';

/** Adds a request, with its stated cost, from the list of messages shown to the user. */
function readRequest(log: CallLog, message: unknown, facts: { model?: string; provider?: string }): void {
	const { say, ts } = asFields(message);
	if (say === 'condense_context') log.recordCompaction();
	const request = parseRequest(message);
	const usage = readRequestUsage(request);
	if (usage === undefined) return;
	const usd = firstNumber(request.cost) || undefined;
	log.add({ ...facts, id: `${firstNumber(ts) ?? ''}`, at: parseTime(ts), usage, usd });
}

/** How to read the model calls in tasks of Cline and of extensions derived from it. */
export const clineCallRule: CallRule = {
	createReader: (log) => (record) => {
		const { cwd, model, provider } = asFields(record);
		log.setFacts({ folder: firstText(cwd), model: firstText(model), provider: firstText(provider) });
		const uiMessages = listUiMessages(record);
		const messages = listDocumentMessages(record) ?? [];
		const newestMessage = messages.findLast((one) => asFields(one).modelInfo !== undefined);
		const info = asFields(asFields(newestMessage).modelInfo);
		const facts = {
			model: firstText(info.modelId, info.id),
			provider: firstText(info.providerId, info.provider),
		};
		for (const one of uiMessages) readRequest(log, one, facts);
		if (uiMessages.length > 0) return;
		for (const one of messages) {
			const { metrics, ts, id } = asFields(one);
			const usage = readTokenUsage(metrics);
			const usd = firstNumber(asFields(metrics).cost) || undefined;
			const key = firstText(id) ?? `${firstNumber(ts) ?? ''}`;
			if (usage !== undefined) log.add({ ...facts, id: key, at: parseTime(ts), usage, usd });
		}
	},
};
