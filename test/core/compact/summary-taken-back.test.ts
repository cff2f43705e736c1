import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe('messages that the user took back', () => {
	it.each([
		'Ignore that, please.',
		'Sorry, wrong chat.',
		'never mind',
		'No, forget what I said.',
		'Scratch that. Keep the old name.',
		'Vergiss das bitte.',
		'算了，不用改了。',
		'さっきの発言は忘れてください。',
	])('a message is marked as taken back by %s', (back) => {
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
	])('no message is marked as taken back by %s', (words) => {
		const text = summaryOf([user(1, 'Work on the login.'), assistant(2, 'I begin.'), user(3, words)]);
		expect(text).toContain('[#1 user] Work on the login.');
		expect(text).not.toContain('taken back');
	});

	it('what the agent said about a message that was taken back is left out', () => {
		const text = summaryOf([
			user(1, 'Work on the login.'),
			assistant(2, 'The login reads the token first.'),
			user(3, 'Plan a rename of every table to plural.'),
			assistant(4, 'The plan has four phases: first the orders, then the payments with their indexes.'),
			user(5, 'Scratch that. Keep the old names.'),
			assistant(6, 'The old names stay.'),
		]);
		expect(text).toContain('(taken back in #5) Plan a rename');
		expect(text).toContain('reads the token first');
		expect(text).not.toContain('four phases');
	});

	it('what the agent did for a message that was taken back is kept', () => {
		const made = call('Bash', { command: 'git tag v2' });
		const text = summaryOf([
			user(1, 'Tag the release.'),
			assistant(2, 'I tag it.', made),
			result(3, made, ''),
			user(4, 'Ignore that, please.'),
			assistant(5, 'Understood.'),
		]);
		expect(text).toContain('git tag v2');
	});

	it('undone lines of code are marked', () => {
		const text = summaryOf([
			user(1, 'Round the figures.'),
			assistant(
				2,
				'I round them:\n```\nconst roundedTotal = Math.round(lineTotal_9);\nreturn roundedTotal.toFixed(2);\n```',
			),
			user(3, '/undo'),
			assistant(4, 'Undone.'),
		]);
		expect(text).toContain('Math.round(lineTotal_9)');
		for (const line of text.split('\n').filter((each) => each.startsWith('[#2')))
			expect(line).toContain('(undone in #3)');
	});

	it('each of several undos names what it undid', () => {
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

	it('an undo names the undone work, and the request remains', () => {
		const text = summaryOf([
			user(1, 'Rename every table to plural.'),
			assistant(2, 'All tables are renamed now, because the style guide wants it.'),
			user(3, '/undo'),
			assistant(4, 'What else?'),
		]);
		expect(text).toContain('[#3 user] /undo (of #2: Rename every table to plural.)');
		expect(text).toContain('[#1 user] Rename every table to plural.');
	});
});
