/** The dialect of OpenCode's messages. */

import { type CarriedResult, type Dialect, joinTextParts, toContent } from '../kit/dialects/dialect.ts';
import { fingerprint } from '../kit/fingerprint.ts';
import { parseShorteningDetails, toCarriedResult } from '../kit/results.ts';
import { estimateTokens } from '../server/core/measure/text/textCounter.ts';
import type { ChatMessage, ContentPart, ToolCall, Usage } from '../server/protocol/conversation.ts';
import type { OpenCodeMessage, OpenCodePart, OpenCodeToolState } from './host.ts';

/** Texts that OpenCode adds before and after a prompt that arrives during a turn. Later turns send the prompt without them. */
const promptWrapper = {
	start: '<system-reminder>\nThe user sent the following message:\n',
	middle: '\n\nPlease address this message',
	end: '</system-reminder>',
} as const;
const interruptedText = '[Tool execution was interrupted]';

function unwrapPrompt(text: string): string {
	if (!text.startsWith(promptWrapper.start) || !text.endsWith(promptWrapper.end)) return text;
	const end = text.lastIndexOf(promptWrapper.middle);
	return end < promptWrapper.start.length ? text : text.slice(promptWrapper.start.length, end).trim();
}

type ToolPart = OpenCodePart & Required<Pick<OpenCodePart, 'callID' | 'tool' | 'state'>>;

function isToolPart(part: OpenCodePart): part is ToolPart {
	return part.type === 'tool' && part.state !== undefined;
}

function getResultText({ state }: ToolPart): string {
	if (state.status === 'completed') return state.output ?? '';
	return state.status === 'error' ? (findInterruptedOutput(state) ?? state.error ?? '') : interruptedText;
}

/** Returns the output of an interrupted call, which OpenCode sends instead of the error; undefined for other calls. */
function findInterruptedOutput({ metadata }: OpenCodeToolState): string | undefined {
	return metadata?.interrupted === true && typeof metadata.output === 'string' ? metadata.output : undefined;
}

function hasFailed({ state }: ToolPart): boolean {
	const { exit } = state.metadata ?? {};
	return state.status === 'error' || (typeof exit === 'number' && exit !== 0);
}

function toImagePart({ mime = '', url = '' }: { mime?: string; url?: string }): ContentPart {
	const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
	if (mime.startsWith('image/') && data !== undefined) return { type: 'image', mediaType: mime, data };
	return { type: 'text', text: `[Attached ${mime || 'file'}]` };
}

function toUserParts(parts: readonly OpenCodePart[]): ContentPart[] {
	return parts.flatMap((part): ContentPart[] => {
		if (part.type === 'text' && !part.ignored && part.text)
			return [{ type: 'text', text: unwrapPrompt(part.text) }];
		if (part.type === 'file')
			return part.mime === 'text/plain' || part.mime === 'application/x-directory' ? [] : [toImagePart(part)];
		if (part.type === 'compaction') return [{ type: 'text', text: 'What did we do so far?' }];
		if (part.type === 'subtask')
			return [{ type: 'text', text: part.prompt ?? 'A task was given to a subagent.' }];
		return [];
	});
}

function toUserMessages({ info, parts }: OpenCodeMessage): ChatMessage[] {
	const content = toUserParts(parts);
	if (content.length === 0) return [];
	const hasTypedPart = parts.some((part) => part.type !== 'text' || (!part.synthetic && !part.ignored));
	return [
		{
			role: 'user',
			content: toContent(content),
			...(info.time?.created !== undefined && { timestamp: info.time.created }),
			...(!hasTypedPart && { metadata: { injected: true } }),
		},
	];
}

function toUsage({ tokens }: OpenCodeMessage['info']): Usage | undefined {
	if (tokens === undefined || tokens.input + tokens.cache.read + tokens.cache.write === 0) return undefined;
	return {
		input: tokens.input,
		output: tokens.output + tokens.reasoning,
		cacheRead: tokens.cache.read,
		cacheWrite: tokens.cache.write,
	};
}

/** Whether OpenCode sends an answer. A failed answer is sent only if it was aborted and has content. */
function isSent({ info, parts }: OpenCodeMessage): boolean {
	if (info.error === undefined) return true;
	const hasContent = parts.some(({ type }) => type !== 'step-start' && type !== 'reasoning');
	return info.error.name === 'MessageAbortedError' && hasContent;
}

function toResultMessage(part: ToolPart): ChatMessage {
	const attachments = (part.state.attachments ?? []).map(toImagePart);
	const shownText = getResultText(part);
	const fullText = parseShorteningDetails(part.state.metadata)?.whole;
	const text = fullText ?? shownText;
	return {
		role: 'tool',
		content: attachments.length > 0 ? [{ type: 'text', text }, ...attachments] : text,
		...(fullText !== undefined && { tokens: estimateTokens(shownText), hasEstimatedTokens: true }),
		toolCallId: part.callID,
		toolName: part.tool,
		...(hasFailed(part) && { isError: true }),
	};
}

function toAnswerMessages(message: OpenCodeMessage): ChatMessage[] {
	if (!isSent(message)) return [];
	const tools = message.parts.filter(isToolPart);
	const content = message.parts.flatMap(({ type, text }): ContentPart[] => {
		if (!text) return [];
		if (type === 'text') return [{ type: 'text', text }];
		return type === 'reasoning' ? [{ type: 'reasoning', text }] : [];
	});
	if (content.length === 0 && tools.length === 0) return [];
	const calls = tools.map(
		({ callID, tool, state }): ToolCall => ({ id: callID, name: tool, args: state.input ?? {} }),
	);
	const usage = toUsage(message.info);
	const answer: ChatMessage = {
		role: 'assistant',
		content: toContent(content),
		...(calls.length > 0 && { toolCalls: calls }),
		...(usage && { usage }),
	};
	return [answer, ...tools.map(toResultMessage)];
}

/** Returns what identifies a part. Leaves out the texts of results, and texts that OpenCode adds for a single request. */
function getPartEssence(part: OpenCodePart): unknown[] {
	if (isToolPart(part)) return [['tool', part.callID, part.tool, part.state.input]];
	if (part.synthetic || part.ignored) return [];
	if (part.type === 'text') return [['text', unwrapPrompt(part.text ?? '').trim()]];
	if (part.type === 'file') return [['file', part.mime, part.filename, fingerprint(part.url)]];
	return part.type === 'compaction' || part.type === 'subtask' ? [[part.type, part.prompt]] : [];
}

function withResult(part: ToolPart, text: string): OpenCodePart {
	const { state } = part;
	if (state.status !== 'error') return { ...part, state: { ...state, output: text } };
	if (findInterruptedOutput(state) === undefined) return { ...part, state: { ...state, error: text } };
	return { ...part, state: { ...state, metadata: { ...state.metadata, output: text } } };
}

/** Returns the parts of a rewritten answer: the new text replaces all texts, and calls get their new arguments. */
function toAnswerParts(parts: readonly OpenCodePart[], answer: ChatMessage): OpenCodePart[] {
	const args = new Map((answer.toolCalls ?? []).map((call) => [call.id, call.args]));
	const text = joinTextParts(answer);
	const first = parts.find(({ type }) => type === 'text');
	return parts.flatMap((part): OpenCodePart[] => {
		if (part === first) return text === '' ? [] : [{ ...part, text }];
		if (part.type === 'text' || part.type === 'reasoning') return [];
		return isToolPart(part)
			? [{ ...part, state: { ...part.state, input: args.get(part.callID) ?? part.state.input } }]
			: [part];
	});
}

function rewrite(
	message: OpenCodeMessage,
	parts: readonly (ChatMessage | undefined)[],
): OpenCodeMessage | undefined {
	const [first, ...results] = parts;
	if (first === undefined) return undefined;
	const isTruncated = first.metadata?.truncated === true;
	if (message.info.role === 'user') {
		if (!isTruncated) return message;
		const [text] = message.parts.filter(({ type }) => type === 'text');
		const otherParts = message.parts.filter(({ type }) => type !== 'text' && type !== 'file');
		return text ? { ...message, parts: [{ ...text, text: joinTextParts(first) }, ...otherParts] } : message;
	}
	const answerParts = isTruncated ? toAnswerParts(message.parts, first) : message.parts;
	const texts = new Map(
		results.flatMap((result) =>
			result?.metadata?.truncated ? [[result.toolCallId, joinTextParts(result)]] : [],
		),
	);
	return {
		...message,
		parts: answerParts.map((part) => {
			const text = isToolPart(part) ? texts.get(part.callID) : undefined;
			if (text === undefined || !isToolPart(part)) return part;
			const { state } = part;
			return withResult({ ...part, state: state.attachments ? { ...state, attachments: [] } : state }, text);
		}),
	};
}

function listResults({ parts }: OpenCodeMessage): CarriedResult[] {
	return parts
		.filter(isToolPart)
		.filter(
			({ state }) => !state.attachments?.length && (state.status === 'completed' || state.status === 'error'),
		)
		.map((part) => toCarriedResult(part.callID, getResultText(part), part.state.metadata));
}

/** Returns a text part that contextd writes. */
function createTextPart(text: string, id: string): OpenCodePart {
	return { id, type: 'text', text, synthetic: true };
}

/** Returns a part without the metadata of a completed call, which OpenCode shows to the user but never sends. */
function withoutMetadata(part: OpenCodePart): OpenCodePart {
	if (part.state?.status !== 'completed') return part;
	const { metadata: _, ...state } = part.state;
	return { ...part, state };
}

/** Reads and writes the messages of OpenCode's hook `experimental.chat.messages.transform`. */
export const openCodeDialect: Dialect<OpenCodeMessage> = {
	getEssence: ({ info, parts }) => [info.role, parts.flatMap(getPartEssence)],
	toNeutral: (message) =>
		message.info.role === 'user' ? toUserMessages(message) : toAnswerMessages(message),
	listResults,
	withResults: (message, texts) => ({
		...message,
		parts: message.parts.map((part) => {
			const text = isToolPart(part) ? texts.get(part.callID) : undefined;
			return text === undefined ? part : withResult(part as ToolPart, text);
		}),
	}),
	rewrite,
	fromDaemon(message, { info }) {
		const id = `msg_contextd_${fingerprint([message.id, joinTextParts(message)])}`;
		const { sessionID, agent, model } = info;
		const user = { id, sessionID, role: 'user' as const, agent, model, time: { created: 0 } };
		const part = { ...createTextPart(joinTextParts(message), `prt_${id}`), sessionID, messageID: id };
		return { info: user, parts: [part] };
	},
	withNote(message, text) {
		if (message.info.role === 'user') {
			return {
				...message,
				parts: [...message.parts, createTextPart(text, `prt_contextd_${fingerprint(text)}`)],
			};
		}
		const lastResultIndex = message.parts.findLastIndex(
			(part) => isToolPart(part) && part.state.status === 'completed',
		);
		return {
			...message,
			parts: message.parts.map((part, index) =>
				index === lastResultIndex && isToolPart(part)
					? withResult(part, `${getResultText(part)}\n\n${text}`)
					: part,
			),
		};
	},
	withoutUnsent: (message) => ({ ...message, parts: message.parts.map(withoutMetadata) }),
};

/** Removes OpenCode's marks of cleared results from a message, so that the same bytes are sent again. */
export function withoutClearedMarks(message: OpenCodeMessage): OpenCodeMessage {
	if (!message.parts.some((part) => part.state?.time?.compacted !== undefined)) return message;
	return {
		...message,
		parts: message.parts.map((part) => {
			if (part.state?.time?.compacted === undefined) return part;
			const { compacted: _, ...time } = part.state.time;
			return { ...part, state: { ...part.state, time } };
		}),
	};
}
