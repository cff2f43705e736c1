import type { Usage } from '../../../protocol/conversation.ts';
import type { Fields } from '../../shape.ts';
import { asFields, asList, firstNumber } from '../../values.ts';
import { parseJsonFields } from '../reading/settings.ts';
import { readUsageExcludingCache } from '../reading/usage.ts';

/** A request to the model, from the list of messages shown to the user. */
interface RequestFigures {
	/** When the request started. Milliseconds since the epoch. */
	ts: number;
	usage: Usage;
}

/**
 * Returns the usage of each answer of a task, by its index among the messages. The figures are in the list of messages
 * shown to the user (`ui_messages.json`). An answer belongs to the newest request that started between the previous
 * answer and itself. If messages have no times and there are as many requests as answers, both are matched by order.
 */
export function matchUsage(messages: readonly unknown[], uiMessages: readonly unknown[]): Map<number, Usage> {
	const requests = uiMessages.flatMap(readRequest).sort((one, other) => one.ts - other.ts);
	const answers = messages.flatMap((message, position) => {
		const { role, ts } = asFields(message);
		return role === 'assistant' ? [{ position, ts: firstNumber(ts) }] : [];
	});
	const usages = new Map<number, Usage>();
	if (answers.every(({ ts }) => ts === undefined)) {
		if (requests.length !== answers.length) return usages;
		for (const [index, { usage }] of requests.entries()) usages.set(answers[index]?.position ?? 0, usage);
		return usages;
	}
	let nextRequest = 0;
	for (const { position, ts } of answers) {
		if (ts === undefined) continue;
		const firstRequest = nextRequest;
		while ((requests[nextRequest]?.ts ?? Number.POSITIVE_INFINITY) <= ts) nextRequest++;
		const request = nextRequest > firstRequest ? requests[nextRequest - 1] : undefined;
		if (request !== undefined) usages.set(position, request.usage);
	}
	return usages;
}

function readRequest(message: unknown): RequestFigures[] {
	const usage = readRequestUsage(parseRequest(message));
	return usage === undefined ? [] : [{ ts: firstNumber(asFields(message).ts) ?? 0, usage }];
}

/** Returns the request that a message shown to the user contains; an empty object for any other message. */
export function parseRequest(message: unknown): Fields {
	const { say, text } = asFields(message);
	return say === 'api_req_started' && typeof text === 'string' ? parseJsonFields(text) : {};
}

/**
 * Returns the usage of a request. `tokensIn` excludes cached tokens in Cline and older versions of Roo Code. Newer
 * versions of Roo Code count the whole prompt; their requests have a member `apiProtocol`.
 */
export function readRequestUsage(request: Fields): Usage | undefined {
	const { tokensIn, tokensOut, cacheReads, cacheWrites, apiProtocol } = request;
	if (firstNumber(tokensIn) === undefined && firstNumber(tokensOut) === undefined) return undefined;
	if (typeof apiProtocol === 'string') return readPromptUsage(tokensIn, tokensOut, cacheReads, cacheWrites);
	return readUsageExcludingCache(tokensIn, tokensOut, cacheReads, cacheWrites);
}

/** Returns the usage from figures. `input` includes `read` and `write` unless it is less than their sum. */
function readPromptUsage(input: unknown, output: unknown, read: unknown, write: unknown): Usage | undefined {
	const inputTokens = firstNumber(input);
	const cachedTokens = Math.max(0, firstNumber(read) ?? 0) + Math.max(0, firstNumber(write) ?? 0);
	const uncachedTokens =
		inputTokens !== undefined && inputTokens >= cachedTokens ? inputTokens - cachedTokens : inputTokens;
	return readUsageExcludingCache(uncachedTokens, output, read, write);
}

/** Returns the usage from figures of Cline or Copilot CLI, whose `inputTokens` is the whole prompt. */
export function readTokenUsage(value: unknown): Usage | undefined {
	const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = asFields(value);
	return readPromptUsage(inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens);
}

/** Whether the requests of a task name their protocol, as all requests of Roo Code do. */
export function hasProtocolName(record: unknown): boolean {
	return listUiMessages(record).some((message) => typeof parseRequest(message).apiProtocol === 'string');
}

/** Returns the messages as shown to the user; empty if the record has none. */
export function listUiMessages(record: unknown): unknown[] {
	return asList(asFields(record).uiMessages);
}
