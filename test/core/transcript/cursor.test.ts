import { expect, it } from 'vitest';
import { cursorLines } from './fixtures/cursor.ts';
import { read } from './reading.ts';

it('a transcript of Cursor matches results with calls by order if calls have no ids', () => {
	const session = read(cursorLines);
	expect(session?.all).toEqual([
		'user: <user_query>\nRead both\n</user_query>',
		'assistant: (hm) I read [l2:call Read] [l2:call2 Read]',
		'tool l2:call: A',
		'tool l2:call2: B',
		'assistant: Done',
	]);
	expect(session?.title).toBe('Read both');
	expect(session?.skipped).toEqual({ turn_ended: 1 });
});
