import { expect, it } from 'vitest';
import { antigravityLines } from './fixtures/antigravity.ts';
import { read } from './reading.ts';

it('a transcript of Antigravity matches tool steps with calls by order, and has checkpoints as compactions', () => {
	const session = read(antigravityLines);
	expect(session?.all.slice(1)).toEqual([
		'assistant: (hm) [l3:call list_dir] [l3:call2 run_command]',
		'tool l3:call: a\nb',
		'tool l3:call2: no',
		'assistant: Two files',
		'user*: # So far',
		'user*: not sent by the user',
		'assistant: Going on',
	]);
	expect(session?.messages[1]?.toolCalls?.map(({ args }) => args)).toEqual([
		{ DirectoryPath: '/w', Depth: 2 },
		{ CommandLine: 'ls -l' },
	]);
	expect(session?.messages[3]).toMatchObject({ isError: true, toolName: 'run_command' });
	expect(session?.visible[0]).toBe('user*: # So far');
	expect(session?.title).toBe('List');
	expect(session?.info).toEqual({ model: 'Gemini X (Low)', cwd: '/w' });
	expect(session?.skipped).toEqual({ CONVERSATION_HISTORY: 1 });
});
