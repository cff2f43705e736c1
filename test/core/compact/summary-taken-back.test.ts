import { describe, expect, it } from 'vitest';
import { assistant, user } from './ledger-sources.ts';
import { summaryOf } from './summaries.ts';

describe('what the user took back', () => {
	it.each([
		'Ignore that, please.',
		'Sorry, wrong chat.',
		'never mind',
		'No, forget what I said.',
		'Scratch that. Keep the old name.',
		'Vergiss das bitte.',
		'算了，不用改了。',
		'さっきの発言は忘れてください。',
	])('is marked by what came behind it: %s', (back) => {
		const text = summaryOf([
			user(1, 'Work on the login.'),
			assistant(2, 'I begin.'),
			user(3, 'Rename every table to plural.'),
			user(4, back),
			assistant(5, 'Understood.'),
		]);
		expect(text).toContain('[#3 user] (taken back in #4) Rename every table to plural.');
		expect(text).toContain(`[#4 user] ${back}`);
		expect(text).toContain('[#1 user] Work on the login.');
	});

	it.each([
		'Ignore the warnings of the linter.',
		'Do not forget the tests.',
		'The button reads “Never mind”.',
	])('is nothing where a user only says such words: %s', (words) => {
		const text = summaryOf([user(1, 'Work on the login.'), assistant(2, 'I begin.'), user(3, words)]);
		expect(text).toContain('[#1 user] Work on the login.');
		expect(text).not.toContain('taken back');
	});

	it('is marked on lines of code that were undone, too', () => {
		const text = summaryOf([
			user(1, 'Round the figures.'),
			assistant(
				2,
				'I round them:\n```\nconst rounded = Math.round(lineTotal);\nreturn rounded.toFixed(2);\n```',
			),
			user(3, '/undo'),
			assistant(4, 'Undone.'),
		]);
		expect(text).toContain('Math.round(lineTotal)');
		for (const line of text.split('\n').filter((each) => each.startsWith('[#2')))
			expect(line).toContain('(undone in #3)');
	});

	it('is named by each of several undos in a row', () => {
		const text = summaryOf([
			user(1, 'Rename every table to plural.'),
			assistant(2, 'All tables are renamed.'),
			user(3, 'Round the figures.'),
			assistant(4, 'All figures are rounded.'),
			user(5, '/undo'),
			user(6, '/undo  '),
			user(7, '/undo'),
		]);
		expect(text).toContain('[#5 user] /undo (of #4: Round the figures.)');
		expect(text).toContain('[#6 user] /undo (of #2: Rename every table to plural.)');
		expect(text).toMatch(/\[#7 user\] \/undo$/m);
	});

	it('is marked where work was undone, and the request is not', () => {
		const text = summaryOf([
			user(1, 'Rename every table to plural.'),
			assistant(2, 'All tables are renamed now, because the style guide wants it.'),
			user(3, '/undo'),
			assistant(4, 'What else?'),
		]);
		expect(text).toContain('[#2] (undone in #3) All tables are renamed now');
		expect(text).toContain('[#1 user] Rename every table to plural.');
	});
});
