import { describe, expect, it } from 'vitest';
import { findChosenOptions } from '../../../server/core/analysis/user/chosenOptions.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { assistant, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const numbered = [
	'The index is ready.',
	'',
	'1. Wrote the index',
	'2. Wrote its tests',
	'',
	'Would you like to:',
	'1. **Measure it** on all rows',
	'2. **Merge it** now',
	'3. Review it',
	'',
	'What would you like to do next?',
].join('\n');
const lettered = 'Which format?\n\na) JSON lines\nb) CSV\nc) both';

describe('answers that name options', () => {
	it.each([
		['2', numbered, 'listed in #8: 2) **Merge it** now'],
		['B is fine if the rows fit.', lettered, 'listed in #8: b) CSV'],
		['(a), Sam is away, so do it now.', lettered, 'listed in #8: a) JSON lines'],
		[
			'Option 2, but only on Sunday, when nobody else needs the table.',
			numbered,
			'listed in #8: 2) **Merge it** now',
		],
		['3', 'Open points:\n1) rows\n2) cells\n3) sums\n\nHow many retries do you want?', ''],
		['A is fine.', 'I read the file.', ''],
		['A row is missing in the new table.', lettered, ''],
		[
			'do all 3',
			'Next steps to try:\n1) Restart\n2) Measure\n3) Merge\n\nWant me to measure it here?',
			'listed in #8: 1) Restart; 2) Measure; 3) Merge',
		],
		['all of them', 'Which one?\n1) Restart\n2) Measure', 'listed in #8: 1) Restart; 2) Measure'],
		['both', 'What I changed:\n1. The lexer.\n2. The parser.\n\nWant me to update the docs and the log?', ''],
		['both', 'It works:\n1. adds a tide\n2. removes one\n\nShall I run it on staging or production?', ''],
		['all 3', 'It fails after:\n1. Open the page\n2. Press pay\n3. Wait\n\nShould I fix it?', ''],
		['all of them', 'Bugs:\n1. a\n2. b\n\nIdeas:\n1. c\n2. d\n\nWhich of these should I fix?', ''],
		[
			'3',
			'I checked whether the options of the tool are read:\n1. -a is\n2. -b is\n3. -c is\n\nHow many retries?',
			'',
		],
		['both', 'Which one?\n1) Restart\n2) Measure\n3) Merge', ''],
		['both of them', 'Which one?\n1) Restart\n2) Measure', 'listed in #8: 1) Restart; 2) Measure'],
		['do all 3', 'Which one?\n1) Restart\n2) Measure', ''],
		['run all tests', numbered, ''],
		[
			'2',
			'I need:\n- Whether you want me to update the plan or write a new one.\n  1) Update it\n  2) Write a new one\n\nThen I go on.',
			'listed in #8: 2) Write a new one',
		],
		['1+2', numbered, 'listed in #8: 1) **Measure it** on all rows; 2) **Merge it** now'],
		['1 and 3 please', numbered, 'listed in #8: 1) **Measure it** on all rows; 3) Review it'],
		["OK, let's go with option 3.", numbered, 'listed in #8: 3) Review it'],
		['B', lettered, 'listed in #8: b) CSV'],
		['(b)', lettered, 'listed in #8: b) CSV'],
		[
			'bitte 1 und 2',
			'Was soll ich tun?\n- **1.** Messen\n- **2.** Zusammenführen',
			'listed in #8: 1) Messen; 2) Zusammenführen',
		],
		['2番でお願いします', 'どちらにしますか？\n1. 計測\n2. 統合', 'listed in #8: 2) 統合'],
		[
			'2',
			'Tu préfères quoi ?\n\n1. Garder la digue\n2. Ouvrir le port',
			'asked: Tu préfères quoi ?; listed in #8: 2) Ouvrir le port',
		],
		['1 + 2', 'Suite :\n1. Mesurer\n2. Fermer\n3. Attendre', 'listed in #8: 1) Mesurer; 2) Fermer'],
		[
			'B',
			'怎么看？\n\n| 方案 | 说明 |\n|---|---|\n| **A. 重试** | 简单 | 慢 |\n| **B. 缓存** | 快 | 复杂 |\n\n你怎么看？',
			'asked: 你怎么看？; listed in #8: b) 缓存: 快',
		],
		[
			'1. yes\n2) only the sums',
			'Before I start:\n1. Keep the old rows?\n2. Which tests should run?\n3. Any limit?',
			'listed in #8: 1) Keep the old rows?; 2) Which tests should run?',
		],
		[
			'1. i like option 3, 2. left most, if there is room',
			'**Questions:**\n1. Which option?\n2. Left or right?\n3. How many?',
			'listed in #8: 1) Which option?; 2) Left or right?',
		],
		[
			'1 ja, das Fahrrad, 2 nein, 3 bleibt so',
			'Vorher:\n1) Was zuerst?\n2) Soll ich warten?\n3) Welcher Name?',
			'listed in #8: 1) Was zuerst?; 2) Soll ich warten?; 3) Welcher Name?',
		],
	])('the answer %j shows the options that it names', (answer, text, expected) => {
		expect(findChosenOptions(answer, assistant(8, text), undefined)).toBe(expected);
	});

	it.each([
		['4', numbered],
		['1-3', numbered],
		['not 2', numbered],
		['2 of them fail', numbered],
		['yes', numbered],
		['', numbered],
		['3', 'I changed:\n1. rows\n2. cells\n3. sums\n\nHow many workers shall the pool have?'],
		['2', '1. rows\n2. cells\n\nBoth are done.'],
		['2 '.repeat(30), numbered],
		['1. add rows\n2. add sums', 'I changed:\n1. rows\n2. cells\n\nWhat next?'],
		['run 1. yes, 2. no', '1. Keep the rows?\n2. Run the tests?'],
		['2. yes, 1. no', '1. Keep the rows?\n2. Run the tests?'],
		['2', 'Pasos:\n1. Build\n2. Push\n\n¿Cuántas réplicas quieres?'],
		['2', 'Width?\n1. Tabs\n2. Spaces\n\nHow wide shall it be, 2 or 4?'],
		['1 and 2, no 3', 'Which should I delete?\n1. Rows\n2. Cells\n3. Sums'],
		['2', 'I changed:\n1. rows\n2. cells\n\nThe table is ready.\nIt has both.\nNothing else.'],
		['1. yes\n4. no', '1. Keep the rows?\n2. Run the tests?'],
		['1 row is wrong, 2 rows are missing', '1. rows\n2. cells'],
	])('the answer %j shows no options', (answer, text) => {
		expect(findChosenOptions(answer, assistant(8, text), undefined)).toBe('');
	});

	it.each([
		['yeah do it', 'Want me to address all 3, or just some?', 'a) JSON lines; b) CSV; c) both'],
		['yes', 'Shall I make these changes?', 'a) JSON lines; b) CSV; c) both'],
		['ja bitte', 'Soll ich alle schreiben?', 'a) JSON lines; b) CSV; c) both'],
	])('the approval %j of %j shows the whole list', (answer, question, expected) => {
		expect(findChosenOptions(answer, assistant(8, lettered), question)).toBe(
			`asked: ${question}; listed in #8: ${expected}`,
		);
	});

	it.each([
		['yes', 'Shall I run the tests?', lettered],
		['fix all of them and commit', 'Shall I make these changes?', lettered],
		['yes', 'Shall I make these changes?', 'I would rename the rows.'],
		['yes', 'Shall I make these changes?', '1. a\n2. b\n3. c\n4. d\n5. e\n6. f'],
		['yes', undefined, lettered],
	])('the answer %j to %j shows no list', (answer, question, text) => {
		expect(findChosenOptions(answer, assistant(8, text), question)).toBe('');
	});

	it('a long option is shortened, and a line in it is no heading of the summary', () => {
		const text = `Which one?\n1. # Plan ${'to write all the rows again '.repeat(9)}\n2. none`;
		expect(findChosenOptions('1', assistant(8, text), undefined)).toMatch(
			/^listed in #8: 1\) \\# Plan [a-z ]{50,90} …$/,
		);
	});

	it('a list in the thinking of the agent has no options', () => {
		const thought = 'Which is best?\n1. rows\n2. cells\n3. sums\n';
		const message = { ...assistant(8, `${thought}${numbered}`), thoughtLength: thought.length };
		expect(findChosenOptions('1', message, undefined)).toContain('Measure it');
		const answer = {
			...assistant(8, `${thought}Which one?\n1. rows\n2. cells`),
			thoughtLength: thought.length,
		};
		expect(findChosenOptions('3', answer, undefined)).toBe('');
	});

	it('a message of the user or of a tool has no options', () => {
		expect(findChosenOptions('2', user(8, numbered), undefined)).toBe('');
		expect(findChosenOptions('2', undefined, undefined)).toBe('');
	});

	it.each([
		['numbers', `Which?\n${'1. x\n'.repeat(100_000)}`],
		['spaces', `Which?\n${' '.repeat(500_000)}1. x`],
		['marks', `Which?\n${'*_-> '.repeat(100_000)}`],
	])('a message of many %s is read quickly', (_, text) => {
		const spent = processorClock();
		findChosenOptions('1', assistant(8, text), undefined);
		expect(spent()).toBeLessThan(300 * machineSlowness());
	});

	it.each([
		['text', numbered],
		['thinking and text', `The user may want to merge.\n${numbered}`],
	])('a summary shows the options of an answer after %s, also in its head', (_, text) => {
		const sources = [
			user(1, 'Write an index for the rows.'),
			assistant(2, text),
			user(3, '1+2'),
			...Array.from({ length: 60 }, (__, index) =>
				assistant(4 + index, `Row ${index} was measured, it took ${index} ms because of cache ${index}.`),
			),
		];
		const summary = summaryOf(sources, 2000);
		expect(sectionIn(summary, 'userWords')).toContain(
			'[#3 user] (listed in #2: 1) **Measure it** on all rows; 2) **Merge it** now) 1+2',
		);
		expect(summary).toMatch(/^Current request \(#3\): 1\+2 \(listed in #2: 1\) \*\*Measure it/m);
	});

	it.each([
		['Do you want A) Postgres, B) MySQL, C) SQLite?', 'B'],
		['Shall I use the old pier or the new pier?', 'the latter'],
		['Shall I commit the rows?', 'not yet'],
	])('an answer that names an option is shown with its question: %s %s', (question, answer) => {
		const text = summaryOf([
			user(1, 'Store the rows.'),
			assistant(2, question),
			user(3, answer),
			user(4, 'Go.'),
		]);
		expect(text).toContain(`[#3 user] (asked: ${question}) ${answer}`);
	});

	it('an answer to two short questions is shown with both', () => {
		const asked = 'Shall I delete the old pier? Also, shall I tag a release?';
		const text = summaryOf([user(1, 'Go on.'), assistant(2, asked), user(3, 'yes, no'), user(4, 'Go.')]);
		expect(text).toContain(`(asked: ${asked}) yes, no`);
	});

	it('an answer after a single word is shown with the question before the word', () => {
		const text = summaryOf([
			user(1, 'Store the rows.'),
			assistant(2, 'Shall I drop the table of ferries?'),
			user(3, 'wait'),
			user(4, 'ok yes'),
			user(5, 'Go.'),
		]);
		expect(text).toContain('(asked: Shall I drop the table of ferries?) ok yes');
	});
});
