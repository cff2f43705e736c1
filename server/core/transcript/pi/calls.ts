import { isFields } from '../../shape.ts';
import { asFields, firstNumber, firstText, parseTime } from '../../values.ts';
import type { CallRule } from '../reading/calls.ts';
import { readNeutralUsage } from '../reading/usage.ts';

/** How to read the model calls in sessions of pi and agents built on it, which state what each call cost. */
export const piCallRule: CallRule = {
	marks: ['"usage"', '"compaction"', '"session"', '"session_start"'],
	createReader: (log) => (record) => {
		if (!isFields(record)) return;
		const { type, timestamp, id } = record;
		if (type === 'session' || type === 'session_start') log.setFacts({ folder: firstText(record.cwd) });
		if (type === 'compaction') log.recordCompaction();
		const message = asFields(record.message);
		if (type !== 'message' || message.role !== 'assistant') return;
		const usage = readNeutralUsage(message.usage);
		if (usage === undefined) return;
		const time = parseTime(timestamp, message.timestamp);
		log.add({
			id: `${time ?? ''}:${firstText(id) ?? ''}`,
			at: time,
			provider: firstText(message.provider),
			model: firstText(message.model),
			usage,
			usd: firstNumber(asFields(asFields(message.usage).cost).total) || undefined,
		});
	},
};
