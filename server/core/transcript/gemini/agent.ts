import type { ContentPart, IdentifiedMessage, ToolCall } from '../../../protocol/conversation.ts';
import { type Fields, isFields, present } from '../../shape.ts';
import type { Agent, TranscriptReader } from '../reading/agent.ts';
import { contentOf, readBlocks, resultContent } from '../reading/blocks.ts';
import type { TranscriptEvent } from '../reading/events.ts';
import { eventGroups } from '../reading/groups.ts';
import { infoTeller } from '../reading/info.ts';
import { isInjectedContent } from '../reading/injected.ts';
import { messageLog } from '../reading/log.ts';
import { usageWithCache } from '../reading/usage.ts';
import { asText, fieldsOf, firstNumber, firstText, listOf, timeOf } from '../reading/values.ts';
import { geminiFolder } from './folder.ts';
import { geminiInjections } from './injected.ts';
import { geminiLimit } from './limit.ts';

/** The chat files of Gemini CLI: one JSON document, or since 2026 JSON Lines of the same messages. */
export const geminiCli: Agent = {
	name: 'gemini-cli',
	label: 'Gemini CLI',
	detect: ({ records }) =>
		records.some((record) => {
			const { sessionId, projectHash, type, id, timestamp } = fieldsOf(record);
			if (typeof sessionId === 'string' && typeof projectHash === 'string') return true;
			return type === 'gemini' && typeof id === 'string' && typeof timestamp === 'string';
		}),
	start: geminiCliReader,
	limit: geminiLimit,
	beginning: /^\s*\{\s*"sessionId"\s*:[^[]{0,1000}"projectHash"\s*:/,
	homes: [
		{
			root: geminiFolder('tmp'),
			path: [
				{ isProject: (name, { digest }) => name === digest, isSure: true, toldBy: '.project_root' },
				'chats',
				/\.jsonl?$/,
			],
		},
	],
};

function geminiCliReader(): TranscriptReader {
	const log = messageLog();
	const tell = infoTeller();
	const groups = eventGroups();
	const places = new Map<string, number>();
	let order: string[] = [];

	const take = (raw: Fields, fallbackId: string): TranscriptEvent[] => {
		const id = firstText(raw.id) ?? fallbackId;
		const place = places.get(id);
		if (place !== undefined) return groups.put(place, readMessage(raw, id));
		places.set(id, order.length);
		order.push(id);
		return groups.put(groups.length, readMessage(raw, id));
	};
	const cut = (count: number): TranscriptEvent[] => {
		for (const id of order.slice(count)) places.delete(id);
		order = order.slice(0, count);
		return groups.cut(count);
	};
	/** The whole list as it is now; what still stands at its place stays. */
	const takeAll = (list: readonly unknown[]): TranscriptEvent[] => {
		const messages = list.filter(isFields);
		const ids = messages.map((raw, index) => firstText(raw.id) ?? `m${index + 1}`);
		const parted = order.findIndex((id, index) => id !== ids[index]);
		const events = parted < 0 ? [] : cut(parted);
		for (const [index, raw] of messages.entries()) events.push(...take(raw, `m${index + 1}`));
		return events;
	};

	return {
		push(record) {
			const line = log.nextRecord();
			if (!isFields(record)) return [{ t: 'skipped', type: 'unknown' }];
			const set = fieldsOf(record.$set);
			const info = tell({
				sessionId: firstText(record.sessionId),
				model: firstText(record.model),
				provider: record.type === 'gemini' || Array.isArray(record.messages) ? 'google' : undefined,
				title: firstText(record.summary, set.summary),
			});
			const list = Array.isArray(record.messages) ? record.messages : set.messages;
			if (Array.isArray(list)) {
				const model = list.map((raw) => fieldsOf(raw).model).findLast((one) => typeof one === 'string');
				return [...info, ...tell({ model: firstText(model) }), ...takeAll(list)];
			}
			// A rewind drops that message and all after it; to an unknown one it clears the chat.
			if (typeof record.$rewindTo === 'string') return [...info, ...cut(places.get(record.$rewindTo) ?? 0)];
			return typeof record.type === 'string' ? [...info, ...take(record, `l${line}`)] : info;
		},
	};
}

function readMessage(raw: Fields, id: string): TranscriptEvent[] {
	const timestamp = timeOf(raw.timestamp);
	if (raw.type === 'user') {
		const content = contentOf(readBlocks(raw.content).parts);
		const metadata = isInjectedContent(content, geminiInjections) ? { injected: true } : undefined;
		return [{ t: 'message', message: present({ id, role: 'user' as const, content, timestamp, metadata }) }];
	}
	if (raw.type !== 'gemini' && raw.type !== 'model') return [{ t: 'skipped', type: asText(raw.type) }];
	const thoughts = listOf(raw.thoughts).flatMap((thought) => {
		const { subject, description } = fieldsOf(thought);
		const text = [firstText(subject), firstText(description)].filter((one) => one !== undefined).join('\n');
		return text === '' ? [] : [text];
	});
	const reasoning: ContentPart[] =
		thoughts.length === 0 ? [] : [{ type: 'reasoning', text: thoughts.join('\n\n') }];
	const calls = listOf(raw.toolCalls).map((call, index): ToolCall => {
		const { id: callId, name, args } = fieldsOf(call);
		return {
			id: firstText(callId) ?? `${id}:call${index + 1}`,
			name: firstText(name) ?? 'unknown',
			args: args ?? {},
		};
	});
	const tokens = fieldsOf(raw.tokens);
	const output = (firstNumber(tokens.output) ?? 0) + (firstNumber(tokens.thoughts) ?? 0);
	const message: IdentifiedMessage = present({
		id,
		role: 'assistant' as const,
		content: contentOf([...reasoning, ...readBlocks(raw.content).parts]),
		toolCalls: calls.length > 0 ? calls : undefined,
		usage: usageWithCache(tokens.input, output, tokens.cached),
		timestamp,
	});
	const results = listOf(raw.toolCalls).flatMap((call, index) =>
		readResult(id, index, fieldsOf(call), calls[index], timestamp),
	);
	return [{ t: 'message', message }, ...results];
}

/** The result that stands in the call itself; none while the call still runs. */
function readResult(
	id: string,
	index: number,
	call: Fields,
	of: ToolCall | undefined,
	timestamp: number | undefined,
): TranscriptEvent[] {
	if (of === undefined || (call.result === undefined && call.status !== 'error')) return [];
	const texts = listOf(call.result).flatMap((part) => {
		const { response } = fieldsOf(fieldsOf(part).functionResponse);
		const { output, error } = fieldsOf(response);
		const value = output ?? error ?? response ?? fieldsOf(part).text;
		return value === undefined ? [] : [asText(value)];
	});
	const content = texts.length > 0 ? texts.join('\n') : resultContent(call.result ?? call.resultDisplay);
	const isError = call.status === 'error' || call.status === 'cancelled' ? true : undefined;
	const message = {
		id: `${id}:out${index + 1}`,
		role: 'tool' as const,
		content,
		toolCallId: of.id,
		toolName: of.name,
		isError,
		timestamp: timeOf(call.timestamp) ?? timestamp,
	};
	return [{ t: 'message', message: present(message) }];
}
