import type { ChatMessage, Role } from '../../../protocol/conversation.ts';
import { type Fields, isFields } from '../../shape.ts';
import { asFields, asList, asText, firstText, parseTime, readRecordType } from '../../values.ts';
import {
	type ContentBlocks,
	type ResultBlock,
	readBlocks,
	readCalls,
	toResultContent,
} from '../reading/blocks.ts';
import type { TranscriptEvent } from '../reading/events.ts';
import type { MessageLog } from '../reading/log.ts';
import { readAnthropicUsage, readNeutralUsage, readOpenAiUsage } from '../reading/usage.ts';

const roles: Record<string, Role> = {
	system: 'system',
	developer: 'system',
	user: 'user',
	assistant: 'assistant',
	model: 'assistant',
	tool: 'tool',
	function: 'tool',
};

/**
 * Returns the events of one message of an array: Anthropic's, OpenAI's, the Vercel AI SDK's (both
 * kinds) or the neutral one, which differ in the position of calls and results.
 */
export function readMessageRecord(log: MessageLog, record: unknown, line: number): TranscriptEvent[] {
	if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
	const role =
		typeof record.role === 'string' && Object.hasOwn(roles, record.role) ? roles[record.role] : undefined;
	if (role === undefined) return [{ t: 'skipped', type: readRecordType(record) }];
	const id = firstText(record.id) ?? `m${line}`;
	const timestamp = parseTime(record.timestamp, record.ts, record.createdAt);
	if (Array.isArray(record.parts))
		return readVercelParts(log, record.parts, role === 'tool' ? 'user' : role, { id, timestamp });
	if (role === 'tool') return readResultRecord(log, record, id, timestamp);
	const blocks = readBlocks(record.content);
	blocks.calls = blocks.calls.concat(readCalls(record.tool_calls ?? record.toolCalls));
	const thought = firstText(record.reasoning_content, record.reasoning, record.thinking);
	if (thought !== undefined) blocks.parts.unshift({ type: 'reasoning', text: thought });
	return log.addBlocks(id, role, blocks, { ...readExtras(record), timestamp });
}

function readExtras(
	record: Fields,
): Pick<ChatMessage, 'usage' | 'stopReason' | 'metadata'> & { injected?: boolean } {
	const metadata = isFields(record.metadata) ? record.metadata : undefined;
	const isSummary = record.isSummary === true;
	const kind = asFields(record.meta).kind;
	// SWE-agent uses the user's role for tool outputs and demonstrations.
	const isTool = record.message_type === 'observation' && record.tool_call_ids === undefined;
	const isInjectedKind = kind === 'compact-summary' || kind === 'meta' || kind === 'notification';
	const injected = isSummary || isInjectedKind || isTool || record.is_demo === true ? true : undefined;
	return {
		usage:
			readNeutralUsage(record.usage) ?? readAnthropicUsage(record.usage) ?? readOpenAiUsage(record.usage),
		stopReason: firstText(record.stopReason, record.stop_reason),
		metadata: isSummary ? { ...metadata, isSummary } : metadata,
		injected,
	};
}

function readResultRecord(
	log: MessageLog,
	record: Fields,
	id: string,
	timestamp: number | undefined,
): TranscriptEvent[] {
	const blocks = readBlocks(record.content);
	// Tool messages of the Vercel AI SDK contain their results as blocks.
	if (blocks.results.length > 0) return log.addBlocks(id, 'user', blocks, { timestamp });
	const result: ResultBlock = {
		callId: firstText(record.toolCallId, record.tool_call_id, asList(record.tool_call_ids)[0]),
		toolName: firstText(record.toolName, record.name, record.tool_name),
		content: toResultContent(record.content),
		isError: record.isError === true || undefined,
	};
	return [log.addResult(id, result, { timestamp })];
}

/** Matches the types of parts that contain a call and its result; `tool-call` and `tool-result` contain only one. */
const toolPartPattern = /^(?:tool-(?!(?:call|result)$)|dynamic-tool$)/;

function readVercelParts(
	log: MessageLog,
	parts: readonly unknown[],
	role: Exclude<Role, 'tool'>,
	{ id, timestamp }: { id: string; timestamp: number | undefined },
): TranscriptEvent[] {
	const events: TranscriptEvent[] = [];
	let blocks: ContentBlocks = { parts: [], calls: [], results: [] };
	let steps = 0;
	const endStep = (): void => {
		if (blocks.parts.length === 0 && blocks.calls.length === 0) return;
		const stepId = steps === 0 ? id : `${id}:step${steps + 1}`;
		steps++;
		const { results } = blocks;
		events.push(...log.addBlocks(stepId, role, { ...blocks, results: [] }, { timestamp }));
		if (results.length > 0) {
			const outcome = { parts: [], calls: [], results };
			events.push(...log.addBlocks(`${stepId}:out`, 'user', outcome, { timestamp }));
		}
		blocks = { parts: [], calls: [], results: [] };
	};
	for (const part of parts) {
		const { type } = asFields(part);
		if (type === 'step-start') endStep();
		else if (typeof type === 'string' && toolPartPattern.test(type))
			readToolPart(asFields(part), type, blocks);
		else if (type === 'file') readFile(asFields(part), blocks);
		else {
			const partBlocks = readBlocks([part]);
			blocks.parts.push(...partBlocks.parts);
			blocks.calls.push(...partBlocks.calls);
			blocks.results.push(...partBlocks.results);
		}
	}
	endStep();
	return events;
}

function readFile(part: Fields, blocks: ContentBlocks): void {
	const mediaType = firstText(part.mediaType, part.mimeType) ?? '';
	const images = mediaType.startsWith('image/') ? readBlocks([{ ...part, type: 'image' }]).parts : [];
	blocks.parts.push(...(images.length > 0 ? images : [{ type: 'opaque' as const, value: part }]));
}

/**
 * Reads a `tool-NAME` or `dynamic-tool` part, which contains a call and its result. The older
 * `tool-invocation` nests both.
 */
function readToolPart(part: Fields, type: string, blocks: ContentBlocks): void {
	const tool = isFields(part.toolInvocation) ? part.toolInvocation : part;
	const id = firstText(tool.toolCallId) ?? '';
	const name = firstText(tool.toolName) ?? (type === 'dynamic-tool' ? 'unknown' : type.slice('tool-'.length));
	blocks.calls.push({ id, name, args: tool.input ?? tool.args ?? {} });
	const error = firstText(tool.errorText);
	const output = tool.output ?? tool.result;
	if (error === undefined && output === undefined) return;
	blocks.results.push({
		callId: id || undefined,
		toolName: name,
		content: error ?? (Array.isArray(output) ? toResultContent(output) : asText(output)),
		isError: error !== undefined || undefined,
	});
}
