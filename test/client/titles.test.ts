import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenModel, shortenTitle, toPlainTitle } from '../../client-vscode/src/text/figures.ts';

describe('titles in lists', () => {
	it('drops ticks, emphasis and double spaces', () => {
		expect(toPlainTitle('I run `./entire help`  and **then**\n stop')).toBe(
			'I run ./entire help and then stop',
		);
	});

	it('keeps the code of an icon as text', () => {
		expect(toPlainTitle('echo $(check) $(sync~spin)')).toBe('echo $ (check) $ (sync~spin)');
	});

	it('ends a long title with an ellipsis, at most 40 characters', () => {
		expect(shortenTitle('[compacted] Why does the date parser fail on Sundays?')).toBe(
			'[compacted] Why does the date parser fa…',
		);
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme' }), (title) => {
				expect([...shortenTitle(title)].length).toBeLessThanOrEqual(40);
				expect(shortenTitle(title)).toBe(shortenTitle(shortenTitle(title)));
			}),
		);
	});

	it.each([
		['claude-opus-4-5-20251101', 'opus-4-5'],
		['anthropic/claude-sonnet-4-5', 'sonnet-4-5'],
		['gpt-5-codex', 'gpt-5-codex'],
		['claude-', 'claude-'],
		['', ''],
	])('shortens the model %j to %j', (model, short) => {
		expect(shortenModel(model)).toBe(short);
	});
});
