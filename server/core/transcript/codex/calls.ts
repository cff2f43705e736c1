import { type Fields, isFields } from '../../shape.ts';
import { asFields, firstNumber, firstText, parseTime } from '../../values.ts';
import type { CallLog, CallRule } from '../reading/calls.ts';
import { readCodexUsage } from './items.ts';

/**
 * Creates a reader of the usage that a rollout reports. Codex repeats the report of its newest call when its limits
 * change; a repeated report adds no call.
 */
function createUsageReader(log: CallLog): (record: Fields, payload: Fields) => void {
	/** Tokens of all calls so far, as Codex last reported them. */
	let totalTokens: number | undefined;
	let callCount = 0;
	return ({ timestamp }, payload) => {
		const info = asFields(payload.info);
		const total = firstNumber(asFields(info.total_token_usage).total_tokens);
		const usage = readCodexUsage(info.last_token_usage);
		if (usage === undefined || (total !== undefined && total === totalTokens)) return;
		totalTokens = total;
		callCount += 1;
		log.add({ id: `${firstText(timestamp) ?? ''}:${total ?? callCount}`, at: parseTime(timestamp), usage });
	};
}

/** How to read the model calls in rollouts of Codex. */
export const codexCallRule: CallRule = {
	marks: ['"token_count"', '"turn_context"', '"session_meta"', '"compacted"', '"context_compacted"'],
	createReader(log) {
		const readUsage = createUsageReader(log);
		return (record) => {
			if (!isFields(record) || !isFields(record.payload)) return;
			const { payload, type } = record;
			if (type === 'session_meta') {
				const isSubAgent = asFields(payload.source).subagent !== undefined;
				log.setFacts({
					folder: firstText(payload.cwd),
					provider: firstText(payload.model_provider),
					subAgent: isSubAgent ? firstText(payload.id) : undefined,
				});
			}
			if (type === 'turn_context')
				log.setFacts({ folder: firstText(payload.cwd), model: firstText(payload.model) });
			if (type === 'compacted' || payload.type === 'context_compacted') log.recordCompaction();
			if (payload.type === 'token_count') readUsage(record, payload);
		};
	},
};
