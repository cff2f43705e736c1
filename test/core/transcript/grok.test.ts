import { expect, it } from 'vitest';
import { grokLines } from './fixtures/grok.ts';
import { read } from './reading.ts';

it('reasoning of Grok is attached to the next answer, or kept as its own message', () => {
	const session = read(grokLines);
	expect(session?.all).toEqual([
		'system: Be kind',
		'user*: <user_info>\nWorkspace Path: /w\n</user_info>',
		'user: Look',
		'assistant: (hm) I look [c1 read_file]',
		'tool c1: text of a',
		'assistant: [ws_1 web_search]',
		'assistant: (enough)',
		'user: Stop',
		'assistant: Stopped',
	]);
	expect(session?.messages[3]?.toolCalls?.[0]?.args).toEqual({ target_file: '/w/a' });
	expect(session?.messages[4]?.toolName).toBe('read_file');
	expect(session?.info).toEqual({ cwd: '/w', model: 'grok-x', provider: 'xai' });
	expect(session?.title).toBe('Look');
});

it('a file of Grok is detected by its first line', () => {
	expect(read(grokLines.slice(0, 1))?.agent).toBe('grok');
});
