import { describe, expect, it } from 'vitest';
import { dropOldCacheMarks, isAcceptableMessageList } from '../../client-claude/src/requests.ts';

const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
const marked = (block: object) => ({ ...block, cache_control: { type: 'ephemeral' } });

describe('messages that are sent to the provider', () => {
	it('messages are sound if calls and results are paired', () => {
		expect(
			isAcceptableMessageList([
				user(text('a')),
				assistant(call('1'), call('2')),
				user(result('2'), result('1')),
			]),
		).toBe(true);
		expect(
			isAcceptableMessageList([{ role: 'user', content: 'a' }, assistant(text('b')), user(text('c'))]),
		).toBe(true);
		expect(
			isAcceptableMessageList([
				user(text('a')),
				assistant(call('1')),
				{ role: 'system', content: 'note' },
				user(result('1')),
			]),
		).toBe(true);
	});

	it.each([
		['begins with the assistant', [assistant(text('a'))]],
		['holds nothing', []],
		['holds an empty message', [user(text('a')), assistant(), user(text('b'))]],
		['lacks a result', [user(text('a')), assistant(call('1'), call('2')), user(result('1'))]],
		['lacks all results', [user(text('a')), assistant(call('1')), user(text('b'))]],
		['ends with a call', [user(text('a')), assistant(call('1'))]],
		['has a result without a call', [user(text('a')), assistant(text('b')), user(result('1'))]],
		[
			'has a result twice',
			[user(text('a')), assistant(call('1')), user(result('1')), assistant(text('b')), user(result('1'))],
		],
	])('messages are not sound if the list %s', (_what, messages) => {
		expect(isAcceptableMessageList(messages)).toBe(false);
	});

	it('cache marks stay only where Claude Code has set them', () => {
		const raw = [user(text('a')), assistant(text('b')), user(text('c')), user(marked(text('d')))];
		const shown = [user(marked(text('summary'))), user(text('c')), user(marked(text('d')))];
		const sent = dropOldCacheMarks(raw, shown);
		expect(sent).toEqual([user(text('summary')), user(text('c')), user(marked(text('d')))]);
		expect(sent[1]).toBe(shown[1]);
		expect(dropOldCacheMarks([user(text('a'))], [user(marked(text('b')))])).toEqual([user(text('b'))]);
	});
});
