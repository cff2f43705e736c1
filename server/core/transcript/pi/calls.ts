import { isFields, withoutUndefined } from '../../shape.ts';
import type { CallRule } from '../reading/calls.ts';
import { usageWithoutCache } from '../reading/usage.ts';
import { fieldsOf, firstNumber, firstText, timeOf } from '../reading/values.ts';

/** Calls in the sessions of pi, and of agents that are built on it. They state what each call cost. */
export const piCalls: CallRule = {
	marks: ['"usage"', '"compaction"', '"session"', '"session_start"'],
	start: (log) => (record) => {
		if (!isFields(record)) return;
		const { type, timestamp, id } = record;
		if (type === 'session' || type === 'session_start') {
			log.setFacts({ folder: firstText(record.cwd) });
		}
		if (type === 'compaction') log.recordCompaction();
		const message = fieldsOf(record.message);
		if (type !== 'message' || message.role !== 'assistant') return;
		const { input, output, cacheRead, cacheWrite, cost } = fieldsOf(message.usage);
		const usage = usageWithoutCache(input, output, cacheRead, cacheWrite);
		if (usage === undefined) return;
		const time = timeOf(timestamp, message.timestamp);
		log.add(
			withoutUndefined({
				id: `${time ?? ''}:${firstText(id) ?? ''}`,
				at: time,
				provider: firstText(message.provider),
				model: firstText(message.model),
				usage,
				usd: firstNumber(fieldsOf(cost).total) || undefined,
			}),
		);
	},
};
