/** The dialect of pi's messages. */

import { type CarriedResult, type Dialect, joinTextParts, toContent } from '../kit/dialects/dialect.ts';
import { parseShorteningDetails, toCarriedResult } from '../kit/results.ts';
import { estimateTokens } from '../server/core/measure/text/textCounter.ts';
import type { ChatMessage, ContentPart, ToolCall } from '../server/protocol/conversation.ts';
import type { PiContent, PiMessage } from './host.ts';

function toBlocks({ content }: PiMessage): PiContent[] {
	if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
	return content ?? [];
}

function joinTexts(blocks: readonly PiContent[]): string {
	return blocks.flatMap(({ type, text }) => (type === 'text' && text ? text : [])).join('\n');
}

function toContentParts(block: PiContent): ContentPart[] {
	if (block.type === 'text') return block.text ? [{ type: 'text', text: block.text }] : [];
	if (block.type === 'image')
		return [{ type: 'image', mediaType: block.mimeType ?? 'image/*', data: block.data }];
	if (block.type === 'thinking' && block.thinking) {
		const { thinking, thinkingSignature: signature } = block;
		return [{ type: 'reasoning', text: thinking, ...(signature !== undefined && { signature }) }];
	}
	return [];
}

function readContent(message: PiMessage): string | ContentPart[] {
	return toContent(toBlocks(message).flatMap(toContentParts));
}

function toAnswerMessages(message: PiMessage): ChatMessage[] {
	// pi does not send failed answers.
	if (message.stopReason === 'error' || message.stopReason === 'aborted') return [];
	const blocks = toBlocks(message);
	const calls = blocks
		.filter(({ type }) => type === 'toolCall')
		.map(({ id = '', name = '', arguments: args }): ToolCall => ({ id, name, args: args ?? {} }));
	const { usage } = message;
	const isMeasured = usage !== undefined && usage.input + usage.cacheRead + usage.cacheWrite > 0;
	return [
		{
			role: 'assistant',
			content: readContent(message),
			...(calls.length > 0 && { toolCalls: calls }),
			...(isMeasured && {
				usage: {
					input: usage.input,
					output: usage.output,
					cacheRead: usage.cacheRead,
					cacheWrite: usage.cacheWrite,
				},
			}),
		},
	];
}

function toResultMessage(message: PiMessage): ChatMessage {
	const fullText = parseShorteningDetails(message.details)?.whole;
	return {
		role: 'tool',
		content: fullText ?? readContent(message),
		...(fullText !== undefined && {
			tokens: estimateTokens(joinTexts(toBlocks(message))),
			hasEstimatedTokens: true,
		}),
		toolCallId: message.toolCallId ?? '',
		toolName: message.toolName,
		...(message.isError && { isError: true }),
	};
}

function toInjectedMessage(content: ChatMessage['content'], isSummary?: true): ChatMessage {
	return { role: 'user', content, metadata: { injected: true, ...(isSummary && { isSummary }) } };
}

function toNeutral(message: PiMessage): ChatMessage[] {
	switch (message.role) {
		case 'user':
			return [{ role: 'user', content: readContent(message), timestamp: message.timestamp }];
		case 'assistant':
			return toAnswerMessages(message);
		case 'toolResult':
			return [toResultMessage(message)];
		case 'custom':
			return [toInjectedMessage(readContent(message))];
		case 'bashExecution':
			return message.excludeFromContext
				? []
				: [toInjectedMessage(`Ran ${message.command}\n${message.output}`)];
		case 'branchSummary':
		case 'compactionSummary':
			return [toInjectedMessage(message.summary ?? '', true)];
		default:
			return [];
	}
}

function getEssence(message: PiMessage): unknown {
	const { role, toolCallId, isError, command, output, summary } = message;
	if (role === 'toolResult') return [role, toolCallId, isError === true];
	return [role, toBlocks(message), command, output, summary];
}

/** Returns the blocks of a rewritten answer: first the new text, then the calls with their new arguments. */
function toAnswerBlocks(message: PiMessage, part: ChatMessage): PiContent[] {
	const args = new Map((part.toolCalls ?? []).map((call) => [call.id, call.args]));
	const text = joinTextParts(part);
	const textBlocks = text === '' ? [] : [{ type: 'text', text }];
	const calls = toBlocks(message).filter(({ type }) => type === 'toolCall');
	return [
		...textBlocks,
		...calls.map((call) => ({ ...call, arguments: args.get(call.id ?? '') ?? call.arguments })),
	];
}

function rewrite(message: PiMessage, [part]: readonly (ChatMessage | undefined)[]): PiMessage | undefined {
	if (part === undefined) return undefined;
	if (part.metadata?.truncated !== true) return message;
	if (message.role === 'assistant') return { ...message, content: toAnswerBlocks(message, part) };
	if (message.summary !== undefined) return { ...message, summary: joinTextParts(part) };
	if (message.role === 'bashExecution')
		return { role: 'user', content: joinTextParts(part), timestamp: message.timestamp };
	return { ...message, content: [{ type: 'text', text: joinTextParts(part) }] };
}

function listResults(message: PiMessage): CarriedResult[] {
	const blocks = toBlocks(message);
	if (message.role !== 'toolResult' || !blocks.every(({ type }) => type === 'text')) return [];
	return [toCarriedResult(message.toolCallId ?? '', joinTexts(blocks), message.details)];
}

/** Reads and writes the messages of pi's event `context`. */
export const piDialect: Dialect<PiMessage> = {
	getEssence,
	toNeutral,
	listResults,
	withResults(message, texts) {
		const text = texts.get(message.toolCallId ?? '');
		return text === undefined ? message : { ...message, content: [{ type: 'text', text }] };
	},
	rewrite,
	fromDaemon: (message) => ({
		role: 'user',
		content: [{ type: 'text', text: joinTextParts(message) }],
		timestamp: 0,
	}),
	withNote(message, text) {
		if (message.role !== 'user' && message.role !== 'toolResult') return message;
		return { ...message, content: [...toBlocks(message), { type: 'text', text }] };
	},
	withoutUnsent({ details: _, ...sent }) {
		return sent;
	},
};
