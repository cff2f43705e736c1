import { expect, it } from 'vitest';
import { appendNote } from '../../../server/session/compaction/following.ts';

const count = (text: string): number => text.length;

it.each([
	['a note that fits', 'summary', 'note', 13, 'summary\n\nnote'],
	['a note that exceeds the budget with the summary', 'summary', 'note', 12, 'summary'],
	['no note', 'summary', '', 7, 'summary'],
	['no summary', '', 'note', 100, ''],
])('a summary and its note never exceed the budget together: %s', (_, summary, note, tokens, expected) => {
	expect(appendNote(summary, note, tokens, count)).toBe(expected);
});
