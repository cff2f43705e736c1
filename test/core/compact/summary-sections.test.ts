import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { headingsIn, sectionIn, summaryOf } from './summaries.ts';

function session(): Source[] {
	const read = call('Read', { file_path: '/repo/src/auth/login.ts', offset: 20, limit: 30 });
	const edit = call('Edit', {
		file_path: '/repo/src/auth/login.ts',
		old_string: 'a',
		new_string: 'b(token)',
	});
	const test = call('Bash', { command: 'npm test -- login' });
	return [
		user(1, 'Fix the login. Never touch the billing tables. Always run the tests before you stop.'),
		assistant(2, 'I will read the login code first.', read),
		result(
			3,
			read,
			'    20→export function refreshSession(token) {\n    21→  return sessionStore.lookup(token);\n',
		),
		assistant(4, 'The session is looked up before the token is checked at src/auth/login.ts:33.', edit),
		result(5, edit, 'The file has been updated.'),
		assistant(6, 'Now the tests.', test),
		result(7, test, 'Exit code 1\nTypeError: sessionStore is undefined in commit 9f3c2ab17d', true),
		user(8, 'Good. Also make the retry limit 4500 and document MAX_RETRY_COUNT.'),
	];
}

describe('sections of a summary', () => {
	it('sections have plain titles in reading order, and empty ones are left out', () => {
		expect(headingsIn(summaryOf(session(), 950))).toEqual([
			'## What the user said',
			'## What happened',
			'## Latest work',
			'## Last results of checks',
			'## Files and code',
		]);
		expect(headingsIn(summaryOf([user(1, 'Hello.')]))).toEqual(['## What the user said']);
	});

	it('the latest work includes messages before the shortened results that stay visible', () => {
		const calls = Array.from({ length: 9 }, () => call('Bash', { command: './import --all' }));
		const text = summaryOf(
			[
				user(1, 'Fix the importer.'),
				assistant(2, 'The importer loses rows, because the lock is released too early.'),
				assistant(3, '', ...calls),
				...calls.map((one, index) => result(4 + index, one, `row ${index} was imported`)),
			],
			2000,
			{ shortened: new Map(calls.map((_, index) => [4 + index, 'row'])) },
		);
		expect(sectionIn(text, 'latestWork')).toContain('[#2] The importer loses rows');
	});

	it('sections have the titles of the style that the settings name', () => {
		expect(headingsIn(summaryOf(session(), 950, { headings: 'neurolink' }))).toEqual([
			'## 1. Primary Request and Intent',
			'## 3. Files and Code Sections',
			'## 4. Problem Solving',
			'## 6. Task Evolution',
			'## 7. Current Work',
			'## 9. Required Files',
		]);
		expect(headingsIn(summaryOf(session(), 950, { headings: 'vellum' }))).toEqual([
			'## 1. Previous Conversation',
			'## 2. Current Work',
			'## 4. Relevant Files and Code',
			'## 5. Problem Solving',
		]);
	});

	it('a summary keeps paths, errors, hashes and numbers from text, calls and results', () => {
		const text = summaryOf(session());
		for (const fact of [
			'/repo/src/auth/login.ts',
			'src/auth/login.ts:33',
			'TypeError: sessionStore is undefined',
			'9f3c2ab17d',
			'MAX_RETRY_COUNT',
			'4500',
			'refreshSession',
		]) {
			expect(text).toContain(fact);
		}
	});

	it('a summary quotes short messages of the user, in order', () => {
		const words = sectionIn(
			summaryOf([
				user(1, 'Fix the login. Never touch the billing tables.'),
				assistant(2, 'The token is read too late, because the cache answers first.'),
				user(3, 'Then ask the cache only behind the check.'),
				...Array.from({ length: 8 }, (_, index) =>
					assistant(4 + index, `Step ${index} is done, since its test passes with ${index + 3} ms.`),
				),
			]),
			'userWords',
		).split('\n');
		expect(words).toEqual([
			'[#1 user] Fix the login. Never touch the billing tables.',
			'[#3 user] Then ask the cache only behind the check.',
		]);
	});

	it('rules of long messages are listed once, unchanged', () => {
		const pasted = 'This paragraph tells at length how the shop came to be what it is today. '.repeat(12);
		const text = summaryOf(
			[
				user(
					1,
					`${pasted}\nNever touch the billing tables. ${pasted}\nAlways run the tests before you stop.`,
				),
				assistant(2, 'I begin.'),
				user(3, 'Go on.'),
			],
			500,
		);
		expect(sectionIn(text, 'rules')).toContain('- Never touch the billing tables.');
		expect(sectionIn(text, 'rules')).toContain('- Always run the tests before you stop.');
	});

	it.each([
		['German', 'Frag mich, bevor du eine Abhängigkeit hinzufügst.'],
		['Chinese', '添加依赖之前先问我。'],
		['Chinese, forbidding', '绝对不要修改数据库的结构。'],
		['Japanese', '依存を追加する前に私に聞いてください。'],
		['Japanese, forbidding', 'スキーマは絶対に変えないでください。'],
		['French', 'Ne touche jamais aux tables de facturation.'],
	])('a rule in a long message is listed, in %s', (_, rule) => {
		const pasted = 'This paragraph tells at length how the shop came to be what it is today. '.repeat(12);
		const text = summaryOf([user(1, `${pasted}\n${rule}`), assistant(2, 'I begin.')], 300);
		expect(sectionIn(text, 'rules')).toBe(`- ${rule}`);
	});

	it('a rule in a quoted message is not listed again', () => {
		expect(sectionIn(summaryOf(session()), 'rules')).toBe('');
	});

	it('a rule in a message that stays visible is not listed', () => {
		const [first, ...rest] = session();
		const text = summaryOf(rest, 2000, { visible: first ? [first] : [] });
		expect(sectionIn(text, 'rules')).toBe('');
	});

	it('a tiny summary prefers the newest request of the user', () => {
		const text = summaryOf(session(), 60);
		expect(text).toContain('[#8 user] Good. Also make the retry limit 4500 and document MAX_RETRY_COUNT.');
		expect(text).not.toContain('#1 user');
	});

	it('a summary ends with a hint how to read hidden text', () => {
		expect(summaryOf(session()).split('\n').at(-1)).toContain('context/original');
		expect(summaryOf(session(), 2000, { recallHint: 'Ask for it.' }).endsWith('\nAsk for it.')).toBe(true);
	});

	it('a summary prefers what the instructions ask for', () => {
		const lines = Array.from({ length: 200 }, (_, index) => `setting ${1000 + index} was changed here today`);
		const sources = [user(1, 'Go on.'), ...lines.map((line, index) => assistant(index + 2, line))];
		expect(summaryOf(sources, 300)).not.toContain('1077');
		expect(summaryOf(sources, 300, { instructions: 'keep all about 1077' })).toContain('setting 1077');
	});

	it('a folder that files share is named once', () => {
		const folder = '/home/user/work/shop';
		const files = sectionIn(
			summaryOf([
				user(1, 'Go.'),
				assistant(2, '', call('Read', { file_path: `${folder}/src/orders.ts` })),
				assistant(3, '', call('Read', { file_path: '/srv/orders.json' })),
				assistant(
					4,
					'',
					call('Edit', { file_path: `${folder}/src/rows.ts`, old_string: 'a', new_string: 'b' }),
				),
				assistant(
					5,
					'',
					call('Edit', { file_path: `${folder}/test/rows.ts`, old_string: 'a', new_string: 'b' }),
				),
			]),
			'files',
		);
		expect(files).toBe(
			`- changed in ${folder}/: test/rows.ts, src/rows.ts\n- read there: /srv/orders.json, src/orders.ts`,
		);
	});

	it('a temporary file that was only read is not named next to other files', () => {
		const filesRead = (...paths: string[]) =>
			sectionIn(
				summaryOf([
					user(1, 'Go.'),
					...paths.map((path, index) => assistant(2 + index, '', call('Read', { file_path: path }))),
				]),
				'files',
			);
		expect(filesRead('/tmp/tasks.output', '/srv/orders.ts')).toBe('- read: /srv/orders.ts');
		expect(filesRead('/srv/http.log', '/srv/orders.ts')).toContain('http.log');
		expect(filesRead('/tmp/tasks.output')).toBe('- read: /tmp/tasks.output');
	});

	it('a single file of its folder is named with its whole path', () => {
		const files = (path: string) =>
			sectionIn(summaryOf([user(1, 'Go.'), assistant(2, '', call('Read', { file_path: path }))]), 'files');
		expect(files('/home/user/orders.ts')).toBe('- read: /home/user/orders.ts');
		expect(files('src/orders.ts')).toBe('- read: src/orders.ts');
	});

	it('each file is listed once, as changed or as read', () => {
		const files = sectionIn(
			summaryOf([
				user(1, 'Go.'),
				assistant(2, '', call('Read', { file_path: 'src/a.ts' }), call('Read', { file_path: 'src/b.ts' })),
				assistant(3, '', call('Edit', { file_path: 'src/a.ts', old_string: 'x', new_string: 'y' })),
				assistant(4, '', call('Write', { file_path: 'src/c.ts', content: 'export {};' })),
			]),
			'files',
		);
		expect(files).toBe('- changed: src/c.ts, src/a.ts\n- read: src/b.ts');
	});
});
