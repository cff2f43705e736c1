/** Claude Code's requests, in a form that can be compared. */

import type { Fields, ModelRequest } from '../mock/request.ts';
import type { Exchange } from '../mock/server.ts';

/** A message of a request. */
export interface SentMessage {
	role: string;
	content: string | Fields[];
}

/** Removes cache marks (`cache_control`) from a value, at any depth. */
function withoutCacheMarks(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutCacheMarks);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([name]) => name !== 'cache_control')
			.map(([name, one]) => [name, withoutCacheMarks(one)]),
	);
}

/** Returns the messages of a request, without cache marks. */
export function sentMessages({ body }: ModelRequest): SentMessage[] {
	return withoutCacheMarks(body.messages) as SentMessage[];
}

/** Returns the requests of the session's main conversation. */
export function mainOf(exchanges: readonly Exchange[]): ModelRequest[] {
	return exchanges.map(({ request }) => request).filter(({ kind }) => kind === 'main');
}

/** Counts the requests for a summary. */
export function summariesOf(exchanges: readonly Exchange[]): number {
	return exchanges.filter(({ request }) => request.kind === 'compaction').length;
}

/** Returns all blocks of a request, with the role of their message. */
export function blocksOf(request: ModelRequest): (Fields & { of: string })[] {
	return sentMessages(request).flatMap(({ role, content }) =>
		(typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((block) => ({
			...block,
			of: role,
		})),
	);
}

/** Returns the blocks of one type. */
export function blocksLike(request: ModelRequest, type: string): Fields[] {
	return blocksOf(request).filter((block) => block.type === type);
}

/** Returns the text of a result's content. */
export function resultText({ content }: Fields): string {
	return typeof content === 'string' ? content : (content as Fields[]).map(({ text }) => text).join('\n');
}

/** Describes empty messages, calls without results, results without calls, and more than four cache marks. */
export function problemsOf(request: ModelRequest): string[] {
	const problems: string[] = [];
	let open = new Set<unknown>();
	for (const [index, { role, content }] of sentMessages(request).entries()) {
		const blocks = typeof content === 'string' ? [] : content;
		if (content.length === 0) problems.push(`message ${index} is empty`);
		if (role === 'system') continue;
		const results = blocks.filter(({ type }) => type === 'tool_result').map((one) => one.tool_use_id);
		for (const id of results) if (!open.delete(id)) problems.push(`message ${index}: ${id} answers no call`);
		for (const id of open) problems.push(`message ${index}: ${id} is not answered`);
		open = new Set(blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id));
	}
	const marks = JSON.stringify(request.body).split('"cache_control"').length - 1;
	if (marks > 4) problems.push(`${marks} marks for caches`);
	return problems;
}

/** Returns whether the messages of `to` begin with all messages of `from`. */
export function isContinuedBy(from: ModelRequest, to: ModelRequest): boolean {
	const [before, after] = [sentMessages(from), sentMessages(to)];
	return before.every((message, index) => JSON.stringify(message) === JSON.stringify(after[index]));
}

/**
 * Describes how messages that both requests contain differ: a changed thought, image or result with an image, or a batch
 * of calls that became incomplete.
 */
export function changesOf(before: ModelRequest, after: ModelRequest): string[] {
	const thoughts = new Set(blocksLike(before, 'thinking').map((block) => JSON.stringify(block)));
	const images = new Map(picturesIn(before));
	const changed = [
		...blocksLike(after, 'thinking').filter((block) => !thoughts.has(JSON.stringify(block))),
		...picturesIn(after).filter(([id, text]) => images.get(id) !== text),
	];
	const left = new Set(blocksLike(after, 'tool_use').map(({ id }) => id));
	const halves = sentMessages(before)
		.map(({ content }) =>
			typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_use'),
		)
		.filter((calls) => calls.some(({ id }) => left.has(id)) && !calls.every(({ id }) => left.has(id)));
	return [...changed, ...halves].map((one) => JSON.stringify(one).slice(0, 200));
}

/** Returns the images of a request, each with the id of the call that returned it, else the index of its block. */
export function picturesIn(request: ModelRequest): [unknown, string][] {
	return blocksOf(request).flatMap((block, index): [unknown, string][] => {
		if (block.type === 'image') return [[index, JSON.stringify(block)]];
		const content = block.type === 'tool_result' && Array.isArray(block.content) ? block.content : [];
		return content.some(({ type }) => type === 'image') ? [[block.tool_use_id, JSON.stringify(content)]] : [];
	});
}

/** Returns the indexes of requests that do not continue the previous request. */
export function breaksOf(requests: readonly ModelRequest[]): number[] {
	return requests.flatMap((request, at) => {
		const before = requests[at - 1];
		return before === undefined || isContinuedBy(before, request) ? [] : [at];
	});
}
