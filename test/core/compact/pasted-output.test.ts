import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import { readOwnWords, splitPastedOutput } from '../../../server/core/analysis/message/pasted.ts';
import { collectRules } from '../../../server/core/analysis/user/rules.ts';
import { costGrowth, maxLinearGrowth } from '../../support/processorClock.ts';
import { assistant, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const repeat = (render: (index: number) => string): string[] =>
	Array.from({ length: 12 }, (_, index) => render(index));

const outputs: Record<string, string[]> = {
	'a log of JSON objects': repeat(
		(index) => `{"time":"2026-05-04T11:20:${10 + index}Z","level":"DEBUG","msg":"request ${index} served"}`,
	),
	'a log with times and levels': repeat(
		(index) => `Mar  7 08:1${index % 10}:08.092 |INFO| you must never see event=${index}`,
	),
	'a log of a server': repeat((index) => `INFO:     10.0.0.${index}:4000 - you must always send a key`),
	'a log of processes': repeat((index) => `(Pier pid=${4000 + index}) Make sure to pass a key of the port`),
	'a test run': repeat((index) => `=== RUN   TestImport_${index}_keeps_every_row`),
	'a diff': [
		'diff --git a/view.ts b/view.ts',
		'--- a/view.ts',
		'+++ b/view.ts',
		'@@ -1,9 +1,9 @@ export function draw',
		...repeat((index) => `+// You must never call line ${index} from a test.`),
		'-// Do not open the database twice.',
	],
	'the screen of an agent': [
		'⏺ Let me look at the page first.',
		'  ⎿  Added 12 lines, removed 3 lines',
		...repeat((index) => `      ${10 + index} +      const width${index} = canvas.width;`),
		'',
		'⏺ I rebuilt the page.',
		'',
		'  You should always press space to change the colours.',
	],
	'a stack trace': repeat((index) => `    at draw${index} (/srv/app/view${index}.ts:${index + 3}:7)`),
	'the console of a browser': repeat((index) => `drawTide${index} @ Pier.tsx?t=17${index}:${index + 41}`),
	'a request that a browser copied': [
		"curl 'https://ferry.example/api/tides' \\",
		...repeat((index) => `  -H 'x-tide-${index}: you must never send ${index}' \\`),
		"  --data-raw 'pier=4'",
	],
	'a traceback of Python': [
		'Traceback (most recent call last):',
		...repeat(
			(index) => `  File "/srv/app/view${index}.py", line ${index + 3}, in draw\n    return draw(width)`,
		),
	],
};

/** Long requests of users, of which no line is output although some look like it. */
const requests: Record<string, string> = {
	'a plan with code and a tree of folders': [
		'Implement the following plan:',
		'# Store the totals of each year',
		...repeat((index) => `${index + 1}. Change \`module_${index}\` so that it keeps its id`),
		'```ts',
		'export interface State {',
		'  id: string;',
		'}',
		'```',
		'src/',
		'├── state.ts',
		'└── store.ts',
		'- [ ] Run the tests: `npm test`',
		'| file | change |',
	].join('\n'),
	'a numbered list with two spaces': repeat(
		(index) => ` ${index}  Rename table ${index}, and never drop the old one`,
	).join('\n'),
	'a schedule': repeat((index) => `${10 + index}:00:00 import orders, never before the backup`).join('\n'),
	'the minutes of a meeting': repeat(
		(index) => `10:${10 + index}:00 Anna: Export darf niemals sortieren`,
	).join('\n'),
	'comments of a review': repeat(
		(index) => `src/import.ts:${40 + index}: remove the retry, we must never send twice`,
	).join('\n'),
	'texts to use': repeat((index) => `ERROR: no permission for ${index}, never retry`).join('\n'),
	'cases to check': repeat((index) => `PASS: login ${index} works, FAIL: logout must clear cookies`).join(
		'\n',
	),
	'titles between rules': `=== Goal ===\n${'Export the rows in order. '.repeat(20)}\n=== Rules ===\nNever touch the schema.\n=== Files ===\nexport.ts only`,
	'steps to run': repeat((index) => `$ npm run step-${index}`).join('\n'),
	'values to write': repeat((index) => `  "name${index}": "module",`).join('\n'),
	'sentences with JSON': repeat(
		(index) => `The client must accept {"a": ${index}} as input and never throw.`,
	).join('\n'),
	'three lines of output in a question': `${'Please explain what this means for the importer. '.repeat(12)}\n${outputs['a test run']?.slice(0, 3).join('\n')}`,
};

describe('output that a user pasted', () => {
	it.each(Object.entries(outputs))(
		"a message with %s shows the user's own words before and after it",
		(_, lines) => {
			const text = `It still fails after your change:\n\n${lines.join('\n')}\n\nWhat happened here? Debug it.`;
			expect(readOwnWords(text).text).toMatch(
				/^It still fails after your change:\n\[\d+ pasted lines\]\nWhat happened here\? Debug it\.$/,
			);
			const summary = summaryOf([user(1, 'Fix the view.'), assistant(2, 'Done.'), user(3, text)], 3000);
			expect(sectionIn(summary, 'userWords')).toContain('It still fails after your change:');
			expect(sectionIn(summary, 'userWords')).toContain('What happened here? Debug it.');
		},
	);

	it.each(Object.entries(outputs))('%s has no rules of the user, and takes none away', (_, lines) => {
		const rules = [
			'Never touch the lock file.',
			'Do not commit anything.',
			'Always run the tests before you push.',
		];
		const [before, between, after] = rules;
		const text = [before, ...lines, '', between, ...lines, '', `- ${after}`].join('\n');
		expect(collectRules([user(1, text)]).map((rule) => rule.text)).toEqual([before, between, `- ${after}`]);
	});

	it.each(Object.entries(requests))('%s stays whole', (_, text) => {
		const request = `${text}\n${'This concerns the whole importer. '.repeat(12)}`;
		expect(readOwnWords(request).text).toBe(request);
	});

	it('a rule between two lines of output is still a rule', () => {
		const trace = outputs['a stack trace']?.join('\n');
		const text = `First run:\n${trace}\nYou must never restart the worker.\nSecond run:\n${trace}`;
		expect(collectRules([user(1, text)]).map((rule) => rule.text)).toEqual([
			'You must never restart the worker.',
		]);
	});

	it.each([
		'Why is E43 sent twice here? Rename it to E99 please.',
		'^ das kommt doppelt, Port bitte auf 8443 umstellen',
		'ここでポートを8443に変更してください',
	])('a comment between two lines of output is the word of the user: %s', (comment) => {
		const log = outputs['a log with times and levels'] ?? [];
		const own = readOwnWords([...log, comment, ...log].join('\n'));
		expect(own).toEqual({ text: `[12 pasted lines]\n${comment}\n[12 pasted lines]`, pasted: 'part' });
	});

	it('a list of rules directly below a diff is not part of the diff', () => {
		const text = [...(outputs['a diff'] ?? []), '- You must never drop the column tax_id.'].join('\n');
		expect(collectRules([user(1, text)]).map((rule) => rule.text)).toEqual([
			'- You must never drop the column tax_id.',
		]);
	});

	it('the console of a browser has its messages, and begins behind the words on its first line', () => {
		const frames = outputs['the console of a browser'] ?? [];
		const warning = 'main-4f.js?dpl=a1:6 Two berths share an id. It is no error, but it should be avoided.';
		const own = readOwnWords(
			[
				`the berth is free now but the ferry still waits ${warning}`,
				...frames,
				'await in draw',
				'Pier.tsx:40 Berth list: {free: 1}',
				'Pier.tsx:41  POST http://localhost:5173/api/berths 403 (Forbidden)',
				...frames,
				'Pier.tsx:44 must never be called twice.',
				'Please find out why.',
			].join('\n'),
		);
		expect(own.text).toBe(
			'the berth is free now but the ferry still waits\n[28 pasted lines]\nPier.tsx:44 must never be called twice.\nPlease find out why.',
		);
	});

	const screen = outputs['the screen of an agent']?.slice(0, 14) ?? [];
	const diff = [
		'diff --git a/view.ts b/view.ts',
		'--- a/view.ts',
		'+++ b/view.ts',
		'@@ -1,4 +1,5 @@ export function draw',
		' const width = canvas.width;',
		'',
		'+const height = canvas.height;',
		' const ratio = 2;',
		' const depth = 8;',
	];
	it.each([
		['a screen that ends with a result', 'Never touch the lock file.', 2, screen],
		['a screen that ends with a result', 'Rename E43 to E99 in the importer.', 2, screen],
		['an answer on a screen', 'Never touch the lock file.', 2, [...screen, '', '⏺ I rebuilt it.']],
		['an answer on a screen', '- Committe nichts auf main!', 2, [...screen, '', '⏺ Gebaut.']],
		['an answer on a screen', '绝不删除 users 表。', 2, [...screen, '', '⏺ 完成']],
		['a diff', 'Never touch the lock file.', 1, diff],
		['a diff', 'Rename E43 to E99 in all files of the importer.', 1, diff],
	])('below %s and a blank line, an indented line is the word of the user: %s', (_, words, indent, lines) => {
		const rest = `  ${'This concerns the whole importer. '.repeat(12)}`;
		const text = ['It fails:', ...lines, '', ' '.repeat(indent) + words, rest].join('\n');
		expect(readOwnWords(text).text).toContain(`pasted lines]\n${words}`);
	});

	it('blank lines within a diff or a screen, and the words of the agent below them, belong to it', () => {
		for (const lines of [diff, outputs['the screen of an agent'] ?? []]) {
			const text = `${'This concerns the whole importer. '.repeat(16)}\n${lines.join('\n')}\n\nDebug it.`;
			expect(readOwnWords(text).text).toMatch(/^[^[]*\[\d+ pasted lines\]\nDebug it\.$/);
		}
	});

	it('each message is searched for output once, whatever is quoted of it', () => {
		const lines = (count: number) =>
			Array.from(
				{ length: count },
				(_, index) => `2026-05-04 11:20:00 INFO request ${index} of table_${index} served`,
			);
		const growth = costGrowth(1000, (count) => {
			summaryOf([user(1, lines(count).join('\n')), assistant(2, 'I read it.')], 2 * count);
		});
		expect(growth).toBeLessThan(maxLinearGrowth);
	});

	it('a later summary reuses the parts of a message', () => {
		const message = user(1, `Debug it.\n${outputs['a stack trace']?.join('\n')}`);
		const cache = createAnalysisCache();
		summaryOf([message, assistant(2, 'I read it.')], 2000, { cache });
		const [own, ...pasted] = cache.messageParts.get(message) ?? [];
		cache.messageParts.set(message, [
			{ text: 'Stored.', isPasted: false, lineCount: own?.lineCount ?? 0 },
			...pasted,
		]);
		expect(summaryOf([message, assistant(2, 'I read it.')], 2000, { cache })).toContain('[#1 user] Stored.');
	});

	it('a block of code around output, and the rules below it, stay as they are', () => {
		const text = `Error: the import fails since yesterday:\n\`\`\`\n${outputs['a stack trace']?.join('\n')}\n\nNode.js v20\n\`\`\`\nNever touch package.json.`;
		expect(readOwnWords(text).text).toBe(
			'Error: the import fails since yesterday:\n```\n[12 pasted lines]\nNode.js v20\n```\nNever touch package.json.',
		);
		expect(collectRules([user(1, text)]).map((rule) => rule.text)).toEqual(['Never touch package.json.']);
	});

	it('a log that begins in the line of a word is separated from it', () => {
		const text = `this run still fails: ${outputs['a log of JSON objects']?.join('\n')}`;
		expect(readOwnWords(text).text).toBe('this run still fails:\n[12 pasted lines]');
	});

	it('two messages with the same words and different output are both shown', () => {
		const message = (seq: number, name: string) =>
			user(
				seq,
				`It still fails:\n${repeat((index) => `    at ${name}${index} (/srv/${name}.ts:${index + 3}:7)`).join('\n')}`,
			);
		const summary = summaryOf([message(1, 'timeout'), assistant(2, 'Fixed.'), message(3, 'disk')], 4000);
		expect(summary).toContain('timeout.ts');
		expect(summary).toContain('disk.ts');
		expect(summary).toContain('user, pasted]');
	});

	it('a message that is only output has no line among what the user said', () => {
		const summary = summaryOf(
			[user(1, 'Fix it.'), assistant(2, 'Done.'), user(3, outputs['a stack trace']?.join('\n') ?? '')],
			3000,
		);
		expect(summary).not.toContain('[12 pasted lines]');
	});

	it('the parts of any message contain all its words, in order', () => {
		const line = fc.oneof(fc.string(), fc.constantFrom(...Object.values(outputs).flat()), fc.constant(''));
		fc.assert(
			fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
				const text = lines.join('\n');
				const words = splitPastedOutput(text).map((part) => part.text);
				expect(words.join('\n').split(/\s+/).join('')).toBe(text.split(/\s+/).join(''));
			}),
		);
	});
});
