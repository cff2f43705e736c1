import { describe, expect, it } from 'vitest';
import { collectRules } from '../../../server/core/analysis/user/rules.ts';
import { assistant, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const rulesIn = (text: string): string[] => collectRules([user(1, text)]).map((rule) => rule.text);

describe("finding the user's rules", () => {
	it('a comment of code is no rule, in a line of a diff either', () => {
		const lines = [
			'+\t// Must never happen in normal operation',
			'/* Always called twice. */',
			'// Never empty.',
		];
		expect(rulesIn(`This looks doubled:\n${lines.join('\n')}\nNever fall back twice.`)).toEqual([
			'Never fall back twice.',
		]);
	});

	it('a rule includes the sentence to which it refers', () => {
		expect(rulesIn('The budget cap is $815 in total. Never exceed it.')).toEqual([
			'The budget cap is $815 in total. Never exceed it.',
		]);
	});

	it.each(['However, you can stop using', 'But never add'])(
		'a rule includes the sentence that it limits: %s',
		(limit) => {
			const text = `Keep the tables in SQLite. ${limit} other engines if it is too slow.`;
			expect(rulesIn(text)).toContain(text);
		},
	);

	it('a rule that names its subject is found alone', () => {
		expect(rulesIn('The tests are slow today. Never change settings.ini.')).toEqual([
			'Never change settings.ini.',
		]);
	});

	it('rules are not found in pasted diffs', () => {
		const diff =
			'What is this?\n@@ -1,2 +1,2 @@\n-# You must never use floats.\n+# Always use decimals.\n context';
		expect(rulesIn(diff)).toEqual([]);
		expect(rulesIn(`${diff}\n\nNever use floats here.`)).toEqual(['Never use floats here.']);
	});

	it.each([
		"I don't remember the number of the booking, sorry.",
		'Would it be possible that the lock never takes more than half of the water?',
		"i don't understand, does it keep the old value?",
		"I guess we don't always have a session here.",
		"I don't expect the tide to change during the crossing.",
		"If I don't close the gate and the ferry sinks, would the cargo still be there?",
		"It stops when you don't hold the button.",
		'The tests do not pass on my machine.',
		"yes, but we don't need to commit",
		"The tests don't pass the linter, sorry.",
		"The tests don't pass reliably here.",
		"The tests don't pass, sorry.",
		"I just hope that I don't miss the deadline of the library.",
		'We want to book soon, so that we don’t lose the cabin.',
		'You may not have seen it, but rows.ts is broken.',
		'The login fails without asking me for a password.',
	])('a report of what somebody does not do is no rule: %s', (text) => expect(rulesIn(text)).toEqual([]));

	it.each([
		"We don't use floats in this project.",
		"I don't want you to touch the lock file.",
		"If the tests fail, don't push.",
		"Please don't run the slow tests.",
		"Don't forget that tests must pass.",
		"Make sure that we don't lose a row.",
		"I don't know why, but never restart the worker.",
		'For API calls do not pass secrets in links.',
		'If a push fails do not pass --force to git.',
		'You do not have permission to push to main.',
		'Users do not see this page, so you must not translate it.',
	])('a rule is found next to words of a report: %s', (text) => expect(rulesIn(text)).toEqual([text]));

	it.each([
		'You do not work on main.',
		"You don't guess versions, look them up.",
		'You do not pass any secrets to scripts.',
		'You do not get to push to main.',
	])('an order in the words of a report is a rule: %s', (text) => expect(rulesIn(text)).toEqual([text]));

	it.each([
		'Don’t push to main.',
		'You may not push to main.',
		'Nothing goes to main without my permission.',
		'Never call sum(); use total().',
		'- Always return `{}` for no rows.',
		'1) never push to main;',
		'这个别动。',
	])('a rule is found in the spelling of %s', (text) => expect(rulesIn(text)).toEqual([text]));

	it('lines of code are no rules', () => {
		expect(rulesIn('const never = () => { never(); };\nreturn always({ mustRun: true });')).toEqual([]);
	});

	it('rules are found below a block of code that is never closed', () => {
		expect(rulesIn('```\nNever read\n\nNever push to main.')).toEqual(['Never push to main.']);
		expect(rulesIn('```\nNever read\n\nNever read\n```\nNever push rows.')).toEqual(['Never push rows.']);
	});

	it('a rule has the items of the list that it introduces', () => {
		const list = 'Never do these:\n\n- push to main\n- delete rows';
		expect(rulesIn(`${list}\n\nFix the sum.`)).toEqual([list]);
		expect(rulesIn('Always follow these rules:\n- Never push to main.\n- fix the sum')).toEqual([
			'- Never push to main.',
		]);
		expect(rulesIn('After all are linked, the player must run:\nferry list\nbefore noon')).toEqual([]);
		expect(rulesIn('Make sure:\n1. sums are right')).toEqual(['Make sure:\n1. sums are right']);
		expect(rulesIn('Fix these:\n- rows\n- cells')).toEqual([]);
	});

	it.each(['```\n~~~\na\n```', '````\n```\na\n````'])(
		'rules are found below code with marks of code in it',
		(code) => {
			expect(rulesIn(`${code}\nNever push to main.`)).toEqual(['Never push to main.']);
		},
	);

	it.each([
		'Secrets are never to be committed here.',
		'Force pushes are never allowed on main.',
		'You are never to touch the lock file.',
	])('a rule in the passive voice is found: %s', (text) => expect(rulesIn(text)).toEqual([text]));

	it('rules are found below a line that starts with code', () => {
		expect(rulesIn('```npm test``` is slow here.\nNever push to main.')).toEqual(['Never push to main.']);
		expect(rulesIn('```\nNever read\n``` of `a.ts`\nNever push to main.')).toEqual(['Never push to main.']);
	});

	it('rules are found in lists with dashes', () => {
		expect(rulesIn('Mind this:\n- Never push to main.')).toEqual(['- Never push to main.']);
	});

	it('a report of what is never so is not a rule', () => {
		expect(rulesIn('Edits that users make before the first prompt are never captured.')).toEqual([]);
		expect(rulesIn('Edits must never be captured twice.')).toEqual(['Edits must never be captured twice.']);
	});

	it.each([
		"Je n'ai jamais vu de limite.",
		'La table des quais n’est jamais remplie.',
		'The must-have of the first phase: 3 to 5 piers',
		'412|    placeholder="桟橋の名前を入力してください"',
	])('a report, a name or a line of code is not a rule: %s', (text) => expect(rulesIn(text)).toEqual([]));

	it('a row of a copied table is not a rule', () => {
		expect(rulesIn("M7 Pn\tLower the anchor (don't wait)\tany\tall")).toEqual([]);
	});

	it('a reported effect is not a rule', () => {
		expect(rulesIn('This causes the sum of the rows to always be 0.')).toEqual([]);
		expect(rulesIn('Floats cause trouble: remember to always use decimals.')).toHaveLength(1);
	});

	it('a request for now is not a rule', () => {
		expect(rulesIn('Never mind the tests for now.')).toEqual([]);
	});

	it('a rule that the user took back is left out', () => {
		const long = `Always use tabs for the new files. ${'The old ones are mixed and nobody minds. '.repeat(12)}`;
		const text = summaryOf([
			user(1, 'Tidy up.'),
			user(2, long),
			user(3, 'Actually, scratch that. Instead follow the formatter.'),
			assistant(4, 'I run the formatter.'),
		]);
		expect(sectionIn(text, 'rules')).not.toContain('Always use tabs');
	});
});
