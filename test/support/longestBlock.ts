import type { ChatMessage } from '../../server/protocol/conversation.ts';

/**
 * The longest time, in milliseconds of processor time, that a work kept everything else from running. Processor
 * time, since on a busy machine other processes would count in any other.
 */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
	let longest = 0;
	let isDone = false;
	let before = process.cpuUsage();
	const finished = work().finally(() => {
		isDone = true;
	});
	while (!isDone) {
		await new Promise((resolve) => setImmediate(resolve));
		const { user, system } = process.cpuUsage(before);
		longest = Math.max(longest, (user + system) / 1000);
		before = process.cpuUsage();
	}
	await finished;
	return longest;
}

/** A session of many short messages: questions, calls, their results, answers. */
export function shortMessages(from: number, count: number): ChatMessage[] {
	return Array.from({ length: count }, (_, index): ChatMessage => {
		const position = from + index;
		const path = `/w/src/file${position % 97}.ts`;
		if (position % 4 === 0) return { role: 'user', content: `question ${position} about ${path}` };
		const call = { id: `call-${position}`, name: 'Read', args: { file_path: path } };
		if (position % 4 === 1) return { role: 'assistant', content: '', toolCalls: [call] };
		if (position % 4 === 2)
			return { role: 'tool', toolCallId: `call-${position - 1}`, content: `line one ${position}\nline two` };
		return { role: 'assistant', content: `answer ${position}: it is done` };
	});
}
