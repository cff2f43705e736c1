/** Converts messages of any format to sources, from which facts and narrative are read. */

import type { IdentifiedMessage, ToolCall } from '../../protocol/conversation.ts';
import type { Row } from '../history/row.ts';
import { textOf } from '../history/text.ts';
import { withoutDataUrls } from '../measure/embeddedImages.ts';
import { withoutPersistedMarks } from '../transcript/claudeCode/persistedOutput.ts';
import { isInjectedByAnAgent, isSummaryByAnAgent } from '../transcript/injections.ts';
import type { Source } from './source.ts';
import { saysFailure } from './failures.ts';
import { type ReadableResult, readableJson } from './json.ts';
import { markNumberColumn } from './numberColumn.ts';
import { observationIn } from './observations.ts';

/** The properties of a row that a source needs. */
export type SourceRow = Pick<Row, 'seq' | 'id' | 'tool' | 'answers' | 'isError' | 'injected' | 'at'>;

/** Returns a call without embedded data, such as images, in its arguments. */
function readableCall(call: ToolCall): ToolCall {
	const { args } = call;
	if (typeof args !== 'object' || args === null || Array.isArray(args)) return call;
	const entries = Object.entries(args);
	const readable = entries.map(([name, value]) => [
		name,
		typeof value === 'string' ? withoutDataUrls(value) : value,
	]);
	const isChanged = readable.some(([, value], index) => value !== entries[index]?.[1]);
	return isChanged ? { ...call, args: Object.fromEntries(readable) } : call;
}

/** Text that agents insert into results for the model alone. */
const reminders = /<system-reminder>[\s\S]*?(?:<\/system-reminder>|$)/g;

/** Returns the length of the reasoning at the beginning of a message's text. */
function thoughtOf({ content }: IdentifiedMessage): { thought?: number } {
	if (typeof content === 'string') return {};
	const thought = content.reduce(
		(sum, part) => sum + (part.type === 'reasoning' ? part.text.length + 1 : 0),
		0,
	);
	return thought > 0 ? { thought } : {};
}

/** Whether no person typed a message: the client marked it, or its content shows it. */
function isInjected({ injected }: SourceRow, { role, content, metadata }: IdentifiedMessage): boolean {
	if (injected || role !== 'user') return injected === true;
	return metadata?.injected !== false && isInjectedByAnAgent(content);
}

/** Returns the source of a message. */
export function messageSource(row: SourceRow, message: IdentifiedMessage): Source {
	const said = withoutDataUrls(textOf(message));
	const printed = message.role === 'user' ? observationIn(said) : undefined;
	const { text, rows }: ReadableResult =
		message.role === 'tool'
			? readableJson(markNumberColumn(withoutPersistedMarks(said.replace(reminders, ''))))
			: { text: printed ?? said };
	return {
		seq: row.seq,
		id: row.id,
		role: printed === undefined ? message.role : 'tool',
		text,
		...(rows && { rows }),
		...thoughtOf(message),
		calls: (message.toolCalls ?? []).map(readableCall),
		...(row.tool !== undefined && { toolName: row.tool }),
		...(printed !== undefined && { toolName: 'output' }),
		...(row.answers !== undefined && { toolCallId: row.answers }),
		...(row.isError && { isError: true }),
		...(message.role === 'tool' && (row.isError || saysFailure(said, row.tool)) && { failed: true }),
		...(message.role === 'tool' && message.metadata?.userAnswer === true && { answeredByUser: true }),
		...(isInjected(row, message) && { injected: true }),
		...(message.role === 'user' && isSummaryByAnAgent(message.content) && { recap: true }),
		...(row.at !== undefined && { at: row.at }),
	};
}
