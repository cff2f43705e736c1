import type { ContentPart, ToolCall, Usage } from '../../../protocol/conversation.ts';
import { parseArgumentsJson } from '../../format/wire/arguments.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, asText, firstText } from '../../values.ts';
import { extractTexts, readBlocks, toResultContent } from '../reading/blocks.ts';
import { readUsageWithReads } from '../reading/usage.ts';

/** An item of the Responses API, reduced to what a conversation needs. */
export type CodexItem =
	| { kind: 'message'; role: 'system' | 'user' | 'assistant'; parts: ContentPart[]; injected?: boolean }
	| { kind: 'reasoning'; parts: ContentPart[] }
	| { kind: 'call'; call: ToolCall }
	| { kind: 'result'; callId?: string; content: string | ContentPart[]; isError?: boolean };

/** Reads the item of a `response_item` record; undefined if it is not part of the conversation. */
export function readCodexItem(item: Fields, recordId: string): CodexItem | undefined {
	const type = firstText(item.type) ?? '';
	if (type === 'message' || (type === '' && typeof item.role === 'string')) return readMessage(item);
	// A message from another agent of the same session.
	if (type === 'agent_message') return { ...readMessage({ ...item, role: 'user' }), injected: true };
	if (type === 'reasoning') return { kind: 'reasoning', parts: readReasoning(item) };
	if (type.endsWith('_output') || type === 'tool_result' || type === 'function_result')
		return readOutput(item);
	if (type.endsWith('_call') || type.endsWith('_search_call'))
		return { kind: 'call', call: readCall(item, recordId) };
	return undefined;
}

function readMessage(item: Fields): Extract<CodexItem, { kind: 'message' }> {
	const role =
		item.role === 'assistant'
			? 'assistant'
			: item.role === 'developer' || item.role === 'system'
				? 'system'
				: 'user';
	return { kind: 'message', role, parts: readBlocks(item.content ?? item.message).parts };
}

function readReasoning(item: Fields): ContentPart[] {
	const texts = [...extractTexts(item.summary), ...extractTexts(item.content)];
	return texts.length === 0 ? [] : [{ type: 'reasoning', text: texts.join('\n') }];
}

function readCall(item: Fields, recordId: string): ToolCall {
	const type = firstText(item.type) ?? 'call';
	const id = firstText(item.call_id, item.id) ?? `${recordId}:call`;
	const name = firstText(item.name, asFields(item.function).name);
	if (type === 'custom_tool_call') return { id, name: name ?? type, args: { input: asText(item.input) } };
	if (isFields(item.action)) return { id, name: type, args: item.action };
	const args = item.arguments ?? item.input ?? {};
	return { id, name: name ?? type, args: typeof args === 'string' ? parseArgumentsJson(args) : args };
}

function readOutput(item: Fields): CodexItem {
	const value = item.output ?? item.result ?? item.tools;
	const resultValue = isFields(value) && value.content !== undefined ? value.content : value;
	const content = toResultContent(resultValue);
	const isError = (isFields(value) && value.success === false) || hasFailed(content) || undefined;
	return { kind: 'result', callId: firstText(item.call_id), content, isError };
}

/** Returns the usage of a call, from the `last_token_usage` of a report. */
export function readCodexUsage(value: unknown): Usage | undefined {
	const { input_tokens, output_tokens, cached_input_tokens } = asFields(value);
	return readUsageWithReads(input_tokens, output_tokens, cached_input_tokens);
}

/** Whether a command failed, by the first lines of its output, or by JSON metadata in older outputs. */
function hasFailed(content: string | ContentPart[]): boolean {
	if (typeof content !== 'string') return false;
	const head = content.slice(0, 300);
	if (/^(?:Process exited with code|Exit code:) [1-9-]/m.test(head)) return true;
	return /"exit_code":[1-9-]/.test(content.slice(-200)) && content.startsWith('{"output"');
}
