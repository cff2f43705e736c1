import { expect, it } from 'vitest';
import { qwenCompacted, qwenLines, qwenRewound } from './fixtures/qwenCode.ts';
import { read } from './reading.ts';

it('a record of Qwen Code with several lines is one message', () => {
	const session = read(qwenLines);
	expect(session?.all).toEqual([
		'user: Read',
		'assistant: (hm) I read [c1 read_file]',
		'tool c1: A',
		'assistant: Done',
		'user*: job ended',
	]);
	expect(session?.messages[1]?.usage).toEqual({ input: 20, output: 8, cacheRead: 30, cacheWrite: 0 });
	expect(session?.messages[2]?.toolName).toBe('read_file');
	expect(session?.info).toEqual({ sessionId: 's8', cwd: '/w', model: 'qwen-x', title: 'Reading' });
	expect(session?.skipped).toEqual({ 'system/ui_telemetry': 1, 'system/custom_title': 1 });
});

it('a record of Qwen Code under an earlier one leaves the branch, but artifacts do not', () => {
	expect(read(qwenRewound)?.all).toEqual([
		'user: Read',
		'assistant: (hm) I read [c1 read_file]',
		'tool c1: A',
		'user: Again',
	]);
});

it('a record of Qwen Code without a parent restarts the branch', () => {
	const first = { ...(qwenLines[0] as object), uuid: 'q9' };
	expect(read([...qwenLines, first])?.all).toEqual(['user: Read']);
});

it('a compression of Qwen Code replaces the history by its own', () => {
	expect(read(qwenCompacted)?.visible).toEqual(['user*: So far', 'assistant: Got it', 'user: On']);
});

it('thoughts of Qwen Code count once if the total includes them in the answer', () => {
	const figures = {
		promptTokenCount: 50,
		candidatesTokenCount: 6,
		thoughtsTokenCount: 2,
		totalTokenCount: 56,
	};
	const lines = qwenLines.map((line) => {
		const record = line as { usageMetadata?: object };
		return record.usageMetadata === undefined ? record : { ...record, usageMetadata: figures };
	});
	expect(read(lines)?.messages[1]?.usage?.output).toBe(6);
});
