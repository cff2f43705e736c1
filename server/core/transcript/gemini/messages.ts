/** Reads the messages of Gemini CLI, in the formats of all its versions. */

import type { ContentPart, IdentifiedMessage, ToolCall } from '../../../protocol/conversation.ts';
import { toContentParts } from '../../format/wire/content.ts';
import { getOrInsert } from '../../getOrInsert.ts';
import { type Fields, isFields, pickDefined } from '../../shape.ts';
import { asFields, asList, asText, firstNumber, firstText, parseTime } from '../../values.ts';
import { type ContentBlocks, joinContent, readBlocks, readCall, toResultContent } from '../reading/blocks.ts';
import type { TranscriptEvent } from '../reading/events.ts';
import { geminiInjections, isInjectedContent } from '../reading/injected.ts';
import { readUsageWithReads } from '../reading/usage.ts';
import { readGeminiParts } from './parts.ts';

/** Returns a record's unique key, because results may have the id of the answer that requested them. */
export function createGeminiRecordKey(raw: Fields, fallback: string): string {
	const id = firstText(raw.id) ?? fallback;
	return hasOnlyResults(raw) ? `${id}:results` : id;
}

export function readGeminiMessage(raw: Fields, id: string, results: ResultTracker): TranscriptEvent[] {
	const timestamp = parseTime(raw.timestamp);
	if (hasOnlyResults(raw)) return readResponses(asList(raw.content), id, timestamp, results);
	if (raw.type === 'user') {
		const content = joinContent(readMessageContent(raw.content).parts);
		const metadata = isInjectedContent(content, geminiInjections) ? { injected: true } : undefined;
		const message = pickDefined({ id, role: 'user' as const, content, timestamp, metadata });
		return [{ t: 'message', message }];
	}
	if (raw.type !== 'gemini' && raw.type !== 'model') return [{ t: 'skipped', type: asText(raw.type) }];
	const thoughts = asList(raw.thoughts).flatMap((thought) => {
		const { subject, description } = asFields(thought);
		const text = [firstText(subject), firstText(description)].filter((one) => one !== undefined).join('\n');
		return text === '' ? [] : [text];
	});
	const reasoning: ContentPart[] =
		thoughts.length === 0 ? [] : [{ type: 'reasoning', text: thoughts.join('\n\n') }];
	const blocks = readMessageContent(raw.content);
	const calls = [...blocks.calls, ...asList(raw.toolCalls).map(readCall)].map(
		(call, index): ToolCall => ({ ...call, id: call.id || `${id}:call${index + 1}` }),
	);
	const tokens = asFields(raw.tokens);
	const output = (firstNumber(tokens.output) ?? 0) + (firstNumber(tokens.thoughts) ?? 0);
	const message: IdentifiedMessage = pickDefined({
		id,
		role: 'assistant' as const,
		content: joinContent([...reasoning, ...blocks.parts]),
		toolCalls: calls.length > 0 ? calls : undefined,
		usage: readUsageWithReads(tokens.input, output, tokens.cached),
		timestamp,
	});
	const outcomes = asList(raw.toolCalls).flatMap((call, index) =>
		readResult(`${id}:out${index + 1}`, asFields(call), calls[blocks.calls.length + index], timestamp),
	);
	results.forget(id);
	for (const { message: outcome } of outcomes) results.claimResult(outcome.toolCallId ?? '', id);
	return [{ t: 'message', message }, ...outcomes];
}

/** Reads a message's content: a text, or parts of the Gemini API, which resumed sessions contain. */
function readMessageContent(content: unknown): ContentBlocks {
	return Array.isArray(content) ? readGeminiParts(content) : readBlocks(content);
}

/** Whether a user record contains only results of tools. */
function hasOnlyResults({ type, content }: Fields): boolean {
	if (type !== 'user' || !Array.isArray(content) || content.length === 0) return false;
	return content.every((part) => isFields(asFields(part).functionResponse));
}

/** Tracks which record contained each call's result, because newer versions repeat results. */
export class ResultTracker {
	readonly #keysByCallId = new Map<string, string>();
	readonly #callIdsByKey = new Map<string, string[]>();

	/** Whether no other record contained the call's result; if so, assigns the result to this record. */
	claimResult(callId: string, key: string): boolean {
		if (getOrInsert(this.#keysByCallId, callId, () => key) !== key) return false;
		getOrInsert(this.#callIdsByKey, key, () => []).push(callId);
		return true;
	}

	/** Forgets a record that was removed or is read again. */
	forget(key: string): void {
		for (const callId of this.#callIdsByKey.get(key) ?? []) this.#keysByCallId.delete(callId);
		this.#callIdsByKey.delete(key);
	}
}

/** Reads a record of results, without the results that newer versions of Gemini CLI repeat. */
function readResponses(
	parts: readonly unknown[],
	id: string,
	timestamp: number | undefined,
	results: ResultTracker,
): TranscriptEvent[] {
	results.forget(id);
	const newResults = readGeminiParts(parts).results.filter(
		({ callId }) => callId === undefined || results.claimResult(callId, id),
	);
	if (newResults.length === 0) return [{ t: 'skipped', type: 'repeated results' }];
	return newResults.map(({ callId = 'unknown', toolName, content, isError }, index) => {
		const base = { id: index === 0 ? id : `${id}:${index + 1}`, role: 'tool' as const, content, timestamp };
		return { t: 'message', message: pickDefined({ ...base, toolCallId: callId, toolName, isError }) };
	});
}

/** Returns the result inside the call itself; empty while the call is running. */
function readResult(
	id: string,
	call: Fields,
	toolCall: ToolCall | undefined,
	timestamp?: number,
): Extract<TranscriptEvent, { t: 'message' }>[] {
	if (toolCall === undefined || (call.result === undefined && call.status !== 'error')) return [];
	const texts = asList(call.result).flatMap((part) => {
		const { response } = asFields(asFields(part).functionResponse);
		const { output, error } = asFields(response);
		const value = output ?? error ?? response ?? asFields(part).text;
		return value === undefined ? [] : [asText(value)];
	});
	const answer = texts.length > 0 ? texts.join('\n') : toResultContent(call.result ?? call.resultDisplay);
	const images = readGeminiParts(call.result).parts.filter(({ type }) => type === 'image');
	const content = images.length === 0 ? answer : [...toContentParts(answer), ...images];
	const isError = call.status === 'error' || call.status === 'cancelled' ? true : undefined;
	const message = {
		id,
		role: 'tool' as const,
		content,
		toolCallId: toolCall.id,
		toolName: toolCall.name,
		isError,
		timestamp: parseTime(call.timestamp) ?? timestamp,
	};
	return [{ t: 'message', message: pickDefined(message) }];
}
