import type { ChatMessage, ContentPart, ToolCall } from '../../history/message.ts';
import type { FormatName, RenderEntry, Rendered } from '../adapter.ts';
import { argumentsToObject } from '../arguments.ts';
import { partsOf } from '../content.ts';
import { segments, sourceIn } from '../grouping.ts';
import { layOut, type PieceWriter } from '../layout.ts';
import { type Fields, isFields } from '../shape.ts';
import { collectLosses, type Losses } from '../warnings.ts';
import { imageBlock, readBlock, splitMessage } from './blocks.ts';
import { settle, type Turn } from './turns.ts';

/** Blocks of the Messages API that a client of another format may hand in as opaque parts. */
const CARRIED = new Set([
	'document',
	'search_result',
	'redacted_thinking',
	'server_tool_use',
	'web_search_tool_result',
	'web_fetch_tool_result',
	'code_execution_tool_result',
	'container_upload',
	'compaction',
]);

function typeName(value: unknown): string {
	return isFields(value) && typeof value.type === 'string' ? ` "${value.type}"` : '';
}

function writer(
	message: ChatMessage & { id: string },
	from: FormatName | undefined,
	losses: Losses,
): PieceWriter {
	const foreign = from !== undefined && from !== 'anthropic' && from !== 'contextd';
	const lose = (what: string) => {
		losses.add(what, message.id);
		return undefined;
	};
	return {
		part(part: ContentPart) {
			if (part.type === 'text') return { type: 'text', text: part.text };
			if (part.type === 'image') return imageBlock(part) ?? lose('an image without data');
			if (part.type === 'opaque') {
				const known = isFields(part.value) && CARRIED.has(String(part.value.type));
				return from === 'anthropic' || (known && !foreign)
					? part.value
					: lose(`a part${typeName(part.value)}`);
			}
			if (part.signature === undefined || foreign || message.role !== 'assistant') {
				return lose('reasoning that this provider did not sign');
			}
			return { type: 'thinking', thinking: part.text, signature: part.signature };
		},
		call: (call: ToolCall) => ({
			type: 'tool_use',
			id: call.id,
			name: call.name,
			input: argumentsToObject(call.args),
		}),
	};
}

function resultBlock(message: ChatMessage, raw: unknown, write: PieceWriter): unknown {
	const content =
		typeof message.content === 'string'
			? message.content
			: partsOf(message.content)
					.map(write.part)
					.filter((block) => block !== undefined);
	const kept = isFields(raw) ? raw : {};
	return {
		...kept,
		type: 'tool_result',
		tool_use_id: message.toolCallId ?? '',
		content,
		...(message.isError === undefined ? {} : { is_error: message.isError }),
	};
}

function blocksOfEntry(entry: RenderEntry, losses: Losses): unknown[] {
	const { message, source, touched } = entry;
	const raw = sourceIn('anthropic', entry)?.raw;
	const blocks = isFields(raw) ? (splitMessage(raw)[source?.part ?? 0]?.blocks ?? []) : [];
	if (raw !== undefined && !touched) return blocks;
	const write = writer(message, source?.format, losses);
	if (message.role === 'tool') return [resultBlock(message, blocks[0], write)];
	return layOut(message, blocks, (block) => readBlock(block, 'content'), write);
}

/** The role and blocks of a raw message that is whole. */
function wholeTurn(raw: Fields): Turn | unknown[] {
	const { content, role } = raw;
	const blocks = Array.isArray(content) ? content : content === '' ? [] : [{ type: 'text', text: content }];
	return role === 'system' ? blocks : { role: role === 'assistant' ? 'assistant' : 'user', blocks, raw };
}

/** The history as Messages API messages, its system messages as `system` blocks outside. */
export function render(entries: readonly RenderEntry[]): Rendered {
	const losses = collectLosses('anthropic');
	const system: unknown[] = [];
	const turns: Turn[] = [];
	for (const segment of segments('anthropic', entries)) {
		if (segment.kind === 'whole') {
			const whole = wholeTurn(segment.raw as Fields);
			if (Array.isArray(whole)) system.push(...whole);
			else turns.push(whole);
			continue;
		}
		const blocks = blocksOfEntry(segment.entry, losses);
		const { role } = segment.entry.message;
		if (role === 'system') system.push(...blocks);
		else turns.push({ role: role === 'assistant' ? 'assistant' : 'user', blocks });
	}
	const messages = settle(turns).map((turn) => turn.raw ?? plainMessage(turn));
	return {
		messages,
		...(system.length > 0 ? { system } : {}),
		warnings: losses.sentences(),
	};
}

/** A turn that was made here; one plain text goes as a string, the shortest form. */
function plainMessage(turn: Turn): unknown {
	const [only, ...others] = turn.blocks;
	const isPlain =
		others.length === 0 && isFields(only) && only.type === 'text' && Object.keys(only).length === 2;
	return { role: turn.role, content: isPlain ? only.text : turn.blocks };
}
