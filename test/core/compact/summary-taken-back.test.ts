import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { findUndoneWork } from '../../../server/core/analysis/user/userStatements.ts';
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
		'发错了',
		'忽略上一条消息。',
		'Please ignore my last message and go on.',
		'nevermind I found it',
		'Ignoriere das bitte.',
		'Sorry, falscher Chat.',
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
		'Ignore the last column of the report.',
		'Cancel the request when the window closes.',
		'Never mind the linter, run the tests.',
		'Never mind that warning, run the tests.',
		'Wrong session id in the log.',
		'Vergiss das Backup nicht.',
		'Vergiss das bitte nicht.',
		'Ignorierte Dateien sollen nicht kopiert werden.',
		'我已经计算了总和，请继续',
		'算了一下，总和不对。',
		'忽略上面的警告。',
	])('no message is marked as taken back by %s', (words) => {
		const text = summaryOf([user(1, 'Work on the login.'), assistant(2, 'I begin.'), user(3, words)]);
		expect(text).toContain('[#1 user] Work on the login.');
		expect(text).not.toContain('taken back');
	});

	it('a message is marked as taken back by a message that stays visible', () => {
		const text = summaryOf(
			[
				user(1, 'Work on the login.'),
				user(3, 'Rename every table to plural.'),
				assistant(4, 'The plan of the rename has four phases: first the orders, then the payments.'),
				assistant(6, 'The login reads the token first, and it fails if the token is older than a day.'),
			],
			2000,
			{ visible: [user(5, 'Ignore that, please.')] },
		);
		expect(text).toContain('(taken back in #5) Rename every table');
		expect(text).not.toContain('four phases');
		expect(text).toContain('reads the token first');
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
		expect(text).toContain('[#5 user] /undo (of the work in #4: Round the figures.)');
		expect(text).toContain('[#6 user] /undo (of the work in #2: Rename every table to plural.)');
		expect(text).toMatch(/\[#7 user\] \/undo$/m);
	});

	it('an undo names the undone work, and the request remains', () => {
		const text = summaryOf([
			user(1, 'Rename every table to plural.'),
			assistant(2, 'All tables are renamed now, because the style guide wants it.'),
			user(3, '/undo'),
			assistant(4, 'What else?'),
		]);
		expect(text).toContain('[#3 user] /undo (of the work in #2: Rename every table to plural.)');
		expect(text).toContain('[#1 user] (work undone in #3) Rename every table to plural.');
	});
});

/** A report of the agent's program, in the formats of several transcripts. */
const reportFormats: [format: string, create: (seq: number, text: string) => Source][] = [
	['a system message', (seq, text) => ({ ...user(seq, text), role: 'system' })],
	['an injected message', (seq, text) => user(seq, text, { isInjected: true })],
	['a quotation in Markdown', (seq, text) => ({ ...user(seq, text.replace(/^/gm, '> ')), role: 'system' })],
];

describe.each(reportFormats)('undos that %s reports', (_, report) => {
	const committed = (seq: number, hash: string): Source =>
		report(
			seq,
			`Tokens: 31,588 sent.\nApplied edit to a.ts\nCommit ${hash} fix: Change a.ts\nYou can use /undo.`,
		);
	const removed = (seq: number, hash: string): Source =>
		report(seq, `Removed: ${hash} fix: Change a.ts\nNow at:  d07af52 fix\nYou can use /undo.`);
	const work = [
		user(1, 'Rename every table to plural.'),
		assistant(2, 'All tables are renamed.'),
		committed(3, '3be91d4'),
		user(4, 'Round the figures.'),
		assistant(5, 'I am sorry, the'),
		report(6, 'Tokens: 31,921 sent, 11 received.'),
		user(7, 'Sort the boats by berth.'),
		assistant(8, 'The boats are sorted.'),
		committed(9, '91c4f0b'),
	];

	it('skip an interrupted answer without a commit', () => {
		const all = [
			...work,
			user(10, '/undo'),
			removed(11, '91c4f0b'),
			user(12, '/undo'),
			removed(13, '3be91d4'),
		];
		const text = summaryOf(all);
		expect(text).toContain('[#10 user] /undo (of the work in #8: Sort the boats by berth.)');
		expect(text).toContain('[#12 user] /undo (of the work in #2: Rename every table to plural.)');
		expect([...findUndoneWork(all).keys()].map(({ seq }) => seq)).toEqual([8, 2]);
	});

	it('take back what the report names, in any order', () => {
		const all = [
			...work,
			user(10, '/undo'),
			removed(11, '3be91d4f0e'),
			user(12, '/undo'),
			removed(13, '99aa88b'),
		];
		expect([...findUndoneWork(all)].map(([{ seq }, undo]) => [seq, undo.seq])).toEqual([[2, 10]]);
	});

	it('skip an interrupted answer if the reply is missing', () => {
		const all = [...work, user(10, '/undo'), user(11, '/undo'), user(12, '/undo')];
		expect([...findUndoneWork(all)].map(([{ seq }, undo]) => [seq, undo.seq])).toEqual([
			[8, 10],
			[2, 11],
		]);
	});

	it('take back only the last commit of a turn', () => {
		const all = [
			...work.slice(0, 3),
			assistant(4, 'I also fix the lint error.'),
			committed(5, '91c4f0b'),
			user(6, '/undo'),
			removed(7, '91c4f0b'),
		];
		expect([...findUndoneWork(all).keys()].map(({ seq }) => seq)).toEqual([4]);
	});

	it.each([
		'The last commit was not made by aider in this chat session.\nYou could try `/git reset --hard HEAD^`.',
		'The last commit has already been pushed to the origin. Undoing is not possible.',
		'The file a.ts has uncommitted changes. Please stash them before undoing.',
		'This is the first commit in the repository. Cannot undo.',
		'No git repository found.',
		'No ghost snapshot available to undo.',
		'Nothing to undo',
	])('take nothing back if the reply is: %s', (reply) => {
		const all = [...work, user(10, '/undo'), report(11, reply)];
		expect(findUndoneWork(all).size).toBe(0);
		expect(summaryOf(all)).toMatch(/\[#10 user\] \/undo \(took nothing back\)$/m);
	});
});

describe('undos without reports of commits', () => {
	const work = [user(1, 'Rename every table.'), assistant(2, 'All are renamed.')];
	const undoneBy = (...reply: Source[]): number[] =>
		[...findUndoneWork([...work, user(3, '/undo'), ...reply]).keys()].map(({ seq }) => seq);

	it('take nothing back if the agent says so first', () => {
		expect(undoneBy(assistant(4, 'There is nothing to undo.'))).toEqual([]);
		expect(undoneBy(assistant(4, "I can't undo this, because the branch was pushed."))).toEqual([]);
	});

	it('take back the turn if the agent only mentions what it cannot undo', () => {
		const reply = 'The tables have their old names.\nNothing to undo in the indexes.';
		expect(undoneBy(assistant(4, reply))).toEqual([2]);
	});

	it('ignore a user who quotes a report', () => {
		expect(undoneBy(user(4, 'Nothing to undo\nRemoved: 91c4f0b fix'))).toEqual([2]);
	});
});
