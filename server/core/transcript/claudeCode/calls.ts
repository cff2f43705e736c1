import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, firstText, parseTime } from '../../values.ts';
import type { CallLog, CallRule } from '../reading/calls.ts';
import { readAnthropicUsage } from '../reading/usage.ts';

/** Returns the sub-agent that wrote a line; undefined for the main conversation. */
function findSubAgent({ agentId, isSidechain, parent_tool_use_id: parent }: Fields): string | undefined {
	return isSidechain === true ? (firstText(agentId) ?? 'sidechain') : firstText(parent);
}

/**
 * Adds the model call of an answer, and further calls in its `iterations`: the provider's own compactions and advisors.
 * The usage of the answer excludes these calls.
 */
function readCall(log: CallLog, record: Fields, message: Fields): void {
	if (message.model === '<synthetic>' || record.isApiErrorMessage === true) return;
	const usage = readAnthropicUsage(message.usage);
	if (usage === undefined) return;
	const id = firstText(message.id, record.requestId, record.uuid) ?? '';
	const call = {
		at: parseTime(record.timestamp),
		provider: 'anthropic',
		model: firstText(message.model),
		folder: firstText(record.cwd),
		subAgent: findSubAgent(record),
	};
	for (const [index, iteration] of asList(asFields(message.usage).iterations).entries()) {
		const { type } = asFields(iteration);
		const figures = readAnthropicUsage(iteration);
		if (type === 'message' || type === undefined || figures === undefined) continue;
		log.add({ ...call, id: `${id}#${index}`, usage: figures, isSummary: type === 'compaction' || undefined });
		if (type === 'compaction') log.recordCompaction();
	}
	log.add({ ...call, id, usage });
}

/** How to read the model calls in lines of Claude Code and the Claude Agent SDK, including those of sub-agents. */
export const claudeCodeCallRule: CallRule = {
	marks: ['"usage"', '"compact_boundary"'],
	createReader: (log) => (record) => {
		if (!isFields(record)) return;
		if (record.subtype === 'compact_boundary') log.recordCompaction();
		if (record.type === 'assistant' && isFields(record.message)) readCall(log, record, record.message);
	},
};
