import { type Fields, isFields } from '../../shape.ts';
import { asFields, asText, firstText, readRecordType } from '../../values.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { toResultContent } from '../reading/blocks.ts';
import { createInfoTracker, type TranscriptEvent } from '../reading/events.ts';
import { createRecordReader, MessageLog } from '../reading/log.ts';
import { codexLimit } from './limit.ts';

/** The output of `codex exec --json`: items that start, change and complete. */
export const codexExec: Agent = {
	name: 'codex-exec',
	label: 'Codex',
	recognizes(record) {
		const { type, thread_id, item } = asFields(record);
		if (type === 'thread.started') return typeof thread_id === 'string';
		return (type === 'item.started' || type === 'item.completed') && isFields(item);
	},
	createReader: createCodexExecReader,
	limit: codexLimit,
};

/** Fields of an item that are its outcome; all others are the call's arguments. */
const outcomeFields = new Set(['id', 'type', 'status', 'aggregated_output', 'exit_code', 'result', 'error']);

function createCodexExecReader(): TranscriptReader {
	const log = new MessageLog();
	const infoEvents = createInfoTracker();

	/** Returns the events of a completed item. Incomplete items are not read, because their arguments may still change. */
	const readItem = (item: Fields, id: string): TranscriptEvent[] => {
		const type = firstText(item.type) ?? 'item';
		if (type === 'agent_message') return [log.add({ id, role: 'assistant', content: asText(item.text) })];
		if (type === 'reasoning')
			return [log.add({ id, role: 'assistant', content: [{ type: 'reasoning', text: asText(item.text) }] })];
		const args = Object.fromEntries(Object.entries(item).filter(([field]) => !outcomeFields.has(field)));
		const name = type === 'mcp_tool_call' ? (firstText(item.tool) ?? type) : type;
		const [call] = log.registerCalls([{ id: `${id}:call`, name, args }], id);
		const callEvent = log.add({ id, role: 'assistant', content: '', toolCalls: call && [call] });
		const hasFailed =
			item.status === 'failed' || (typeof item.exit_code === 'number' && item.exit_code !== 0);
		const result = { callId: call?.id, content: readOutcome(item), isError: hasFailed || undefined };
		return [callEvent, log.addResult(`${id}:out`, result, {})];
	};

	return createRecordReader((record, lineId) => {
		const { type, thread_id, item } = record;
		if (type === 'thread.started') return infoEvents({ sessionId: firstText(thread_id), provider: 'openai' });
		if (type !== 'item.completed' || !isFields(item)) return [{ t: 'skipped', type: readRecordType(record) }];
		return readItem(item, firstText(item.id) ?? lineId);
	});
}

function readOutcome(item: Fields): ReturnType<typeof toResultContent> {
	if (typeof item.aggregated_output === 'string') return item.aggregated_output;
	const result = asFields(item.result);
	if (result.content !== undefined) return toResultContent(result.content);
	const error = firstText(asFields(item.error).message, item.error);
	if (error !== undefined) return error;
	return item.result !== undefined && item.result !== null ? asText(item.result) : asText(item.status);
}
