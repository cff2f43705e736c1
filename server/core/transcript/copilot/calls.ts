import { type Fields, isFields } from '../../shape.ts';
import { asFields, firstText, parseTime } from '../../values.ts';
import { readTokenUsage } from '../cline/figures.ts';
import type { CallLog, CallRule } from '../reading/calls.ts';

/** Adds the total usage of each model. Older versions write these totals at the end, instead of usage per call. */
function readTotals(log: CallLog, id: string, at: number | undefined, data: Fields): void {
	for (const [model, metrics] of Object.entries(asFields(data.modelMetrics))) {
		const usage = readTokenUsage(asFields(metrics).usage);
		if (usage !== undefined) log.add({ id: `${id}:${model}`, at, model, usage, isSum: true });
	}
}

/** How to read the model calls in event logs of Copilot CLI. */
export const copilotCallRule: CallRule = {
	marks: ['usage_record', 'start', 'resume', 'shutdown', 'model_change', 'compaction_complete'].map(
		(type) => `"session.${type}"`,
	),
	createReader(log) {
		let hasCalls = false;
		return (record) => {
			if (!isFields(record) || !isFields(record.data)) return;
			const { data, type } = record;
			const at = parseTime(record.timestamp);
			log.setFacts({
				folder: firstText(asFields(data.context).cwd),
				model: firstText(data.selectedModel, data.newModel),
			});
			if (type === 'session.compaction_complete' && data.success !== false) log.recordCompaction();
			if (type === 'session.shutdown' && !hasCalls) readTotals(log, firstText(record.id) ?? '', at, data);
			if (type !== 'session.usage_record') return;
			const figures = asFields(data.usage);
			const usage = readTokenUsage(figures);
			const id = firstText(figures.apiCallId, record.id);
			if (usage === undefined || id === undefined) return;
			hasCalls = true;
			const subAgent = firstText(record.agentId);
			log.add({ id, at, model: firstText(figures.model), usage, subAgent });
		};
	},
};
