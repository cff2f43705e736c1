import { describe, expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { headOf, summaryOf } from './summaries.ts';

const bash = (command: string) => call('Bash', { command });
const edit = (path: string) => call('Edit', { file_path: path, old_string: 'one', new_string: 'two' });

describe('head of a summary', () => {
	it('the head names goal, current request, state, next step and prohibitions', () => {
		const build = bash('npm run build');
		expect(
			headOf(
				user(1, 'Move the ticket machines to REST. Never edit src/generated/.'),
				...done(2, [edit('src/login.ts')], [bash('git commit -am login')], [edit('src/search.ts')]),
				...done(8, [bash('npm test'), 'Tests: 2 failed, 9 passed', true]),
				user(10, 'Then fix the search first.'),
				...done(11, [edit('src/search.ts')]),
				assistant(13, 'Now I build it.', build),
			),
		).toEqual([
			'Goal (#1): Move the ticket machines to REST. Never edit src/generated/.',
			'Current request (#10): Then fix the search first.',
			expect.stringMatching(
				/^State: changed since the last commit: src\/search\.ts; last check: npm test: failed: .*2 failed.*\(#9\), before later changes; no result yet: Bash npm run build$/,
			),
			'Hands off: Never edit src/generated/.',
		]);
	});

	it.each([
		['git init trial && cd trial && git commit --allow-empty -m start', '[main 1b2c3d4] start'],
		['cd /tmp/trial && git commit -qam start', ''],
		['cd trial && git commit -m start', '[main (root-commit) 1b2c3d4] start'],
	])('a commit to a repository of an experiment is not the last commit: %s', (command, output) => {
		const head = headOf(
			user(1, 'Fix the search.'),
			...done(2, [edit('src/search.ts')]),
			...done(4, [bash(command), output]),
			...done(6, [edit('src/rows.ts')]),
			assistant(8, 'Both are changed.'),
		);
		expect(head.join('\n')).toMatch(/State: changed: src\/search\.ts, src\/rows\.ts/);
	});

	it('the state names two calls without a result, shortened', () => {
		const names = Array.from({ length: 4 }, (_, index) => `tides-${index}-${'of-the-pier-'.repeat(12)}`);
		const calls = names.map((name) => bash(`measure ${name}`));
		const [, state = ''] = headOf(user(1, 'Measure.'), assistant(2, '', ...calls));
		expect(state).toMatch(
			/no result yet: Bash measure tides-0-.{1,90}…; Bash measure tides-1-.{1,90}…; 2 more$/,
		);
	});

	it.each([
		['Edits made before the first commit are never counted, which must be fixed.', false],
		['Always keep the log: it must not be lost when we deploy.', false],
		['You must not change the schema.', true],
		['The schema must not ever be changed.', true],
		['Never ever push to main.', true],
		['Please do not touch vendor/.', true],
		['Bitte ändere nie die Schnittstelle.', true],
		['Und fass die Schnittstelle nicht an.', true],
		['Kein Push, bevor ich es gesehen habe.', true],
		['No push before I have seen it.', true],
		['Keine Ahnung, warum sie fehlt.', false],
	])('the head names prohibitions but no other rules: %s', (rule, isForbidden) => {
		const head = headOf(user(1, `Fix the login. ${rule}`), assistant(2, 'Done.'));
		expect(head.some((line) => line.startsWith('Hands off'))).toBe(isForbidden);
	});

	it.each([
		['/review', '<command-message>review</command-message>\n<command-name>/review</command-name>', '/review'],
		[
			'/fix-issue with its arguments',
			'<command-name>/fix-issue</command-name>\n<command-args>123 only the parser</command-args>',
			'/fix-issue 123 only the parser',
		],
	])('the current request may be a command of the user: %s', (_, text, shown) => {
		const head = headOf(
			user(1, 'Why is the import slow?'),
			assistant(2, 'It reads the file twice.'),
			{ ...user(3, text), isInjected: true },
			assistant(4, 'Reading the pull request.'),
		);
		expect(head).toContain(`Current request (#3): ${shown}`);
	});

	it('the state names no output of commands among the changed files, and short paths in full', () => {
		const [, state = ''] = headOf(
			user(1, 'Speed up the import.'),
			...done(2, [edit('/srv/import.ts')], [bash('npm test | tee /tmp/import-test.txt'), 'Tests: 9 passed']),
			assistant(6, 'Done.'),
		);
		expect(state).toMatch(/^State: changed, no commit seen: \/srv\/import\.ts; last check/);
	});

	it('a check is not older than the work because the output of a later command was stored', () => {
		const [, state = ''] = headOf(
			user(1, 'Speed up the import.'),
			...done(
				2,
				[edit('/srv/import.ts')],
				[bash('npm test'), 'Tests: 9 passed'],
				[bash('ls | tee /tmp/list.txt'), 'a b'],
			),
			assistant(8, 'Done.'),
		);
		expect(state).toBe(
			'State: changed, no commit seen: /srv/import.ts; last check: npm test: Tests: 9 passed (#5)',
		);
	});

	it('the state names a file in the folder for temporary files if no other file changed', () => {
		const [, state = ''] = headOf(
			user(1, 'Write a script.'),
			...done(2, [edit('/tmp/script.py')]),
			assistant(4, 'Done.'),
		);
		expect(state).toBe('State: changed, no commit seen: /tmp/script.py; no check seen');
	});

	it.each(['/model opus', '/compact keep the rules', '/add-dir ../other'])('%s is no request', (command) => {
		const [name = '', ...words] = command.split(' ');
		const text = `<command-name>${name}</command-name>\n<command-args>${words.join(' ')}</command-args>`;
		const head = headOf(user(1, 'Why is the import slow?'), assistant(2, 'It reads twice.'), {
			...user(3, text),
			isInjected: true,
		});
		expect(head.join('\n')).not.toContain('Current request');
	});

	it('the arguments of a command may contain any characters', () => {
		const text =
			'<command-name>/review</command-name>\n<command-args>files where a < b, then port 8443</command-args>';
		const head = headOf(user(1, 'Why is the import slow?'), assistant(2, 'It reads twice.'), {
			...user(3, text),
			isInjected: true,
		});
		expect(head).toContain('Current request (#3): /review files where a < b, then port 8443');
	});

	it('a command about the program of the agent is no request', () => {
		const head = headOf(
			user(1, 'Why is the import slow?'),
			assistant(2, 'It reads the file twice.'),
			{ ...user(3, '<command-name>/model</command-name>\n<command-args></command-args>'), isInjected: true },
			assistant(4, 'Set.'),
		);
		expect(head.join('\n')).not.toContain('/model');
	});

	it.each([
		'Let me know if you want a list of the piers.',
		'Next.js renders the page for each request.',
		'Next time, run the tests first.',
		'I will not touch the berths.',
	])('the head names no step if the last answer ends with: %s', (sentence) => {
		const head = headOf(user(1, 'Fix the login.'), assistant(2, `The token is stale. ${sentence}`));
		expect(head.join('\n')).not.toContain('Next:');
	});

	it('the head names the step that the agent announced last', () => {
		expect(
			headOf(user(1, 'Fix the login.'), assistant(2, 'The token is stale. Next I will add a retry.')),
		).toContain('Next: Next I will add a retry.');
	});

	it('the head names the request that replaced one that was taken back', () => {
		const head = headOf(
			user(1, 'Rename every table to plural.'),
			assistant(2, 'I begin.'),
			user(3, 'Actually, scratch that. Add an index to the orders instead.'),
		);
		expect(head).toEqual(['Goal (#3): Add an index to the orders instead.']);
	});

	it('the head names the plan after a line that only introduces it', () => {
		expect(headOf(user(1, 'Implement the following plan:\n\n# Faster import\n\nStep one.'))).toEqual([
			'Goal (#1): Implement the following plan: Faster import …',
		]);
	});

	it.each([
		['```npm test``` fails. Please fix it.', '```npm test``` fails. Please fix it.'],
		['```\nStream the rows in the importer.\n```', 'Stream the rows in the importer.'],
		['```ts\nconst a = 1;\n```\nRename a to total.', 'Rename a to total.'],
	])('the goal has the words of a request that starts with code: %j', (request, goal) => {
		expect(headOf(user(1, request))).toEqual([`Goal (#1): ${goal}`]);
	});

	it.each([
		[
			'Read docs/fares.md in full, then fares.ts, and then the timetable and one of the other tables of the ferries that we have in this folder. We still need to port harbours.ts to the same pattern.',
			/^Read docs\/fares\.md in full, .* We still need to port harbours\.ts to the same pattern\.$/,
		],
		[
			'Please look at the importer. It is slow on Mondays, and nobody knows why, because it has no measurements of any kind. Tables are fine. Add a timer.',
			/^Please look at the importer\. .*Add a timer\.$/,
		],
		[
			'Read the log and tell me why the import of the ferries failed on Monday night, when nobody was there to see it at all. I want to know by noon.',
			/^Read the log and tell me why the import .* at all\. …$/,
		],
		['Read docs/fares.md.', /^Read docs\/fares\.md\.$/],
	])('the goal has the work after what is only to be read first: %j', (request, goal) => {
		const [line = ''] = headOf(user(1, request));
		expect(line.replace('Goal (#1): ', '')).toMatch(goal);
	});

	it.each([
		['# Execution prompt\n\n## Task\nAdd the login page.\n\n## Input\n- a.md', 'Add the login page. …'],
		['**Task**\n\nAdd the login page.', 'Add the login page.'],
		['<task>\nAdd the login page.\n</task>', 'Add the login page.'],
		['## 概要\n\nログイン画面を追加してください。', 'ログイン画面を追加してください。'],
		['# Add the login page', 'Add the login page'],
	])('the head names the goal instead of the titles above it: %j', (request, goal) => {
		expect(headOf(user(1, request))).toEqual([`Goal (#1): ${goal}`]);
	});

	it.each([
		[
			'Hi, I have a problem. My importer crashes with E43 since Monday. Please fix it in import.ts.',
			'My importer crashes with E43 since Monday. Please fix it in import.ts.',
		],
		['You are an experienced engineer. Add the login page.', 'Add the login page.'],
		['Hallo,\nich habe da was.\nKannst du den Import reparieren?', /Kannst du den Import reparieren\?$/],
		[
			'# Environment\n\nThe image has these languages:\n\n- Go\n\nInstall them please.\n\n## Task\n\nUpdate the docs.',
			'Update the docs.',
		],
		['## 環境\n\nGo が使えます。\n\n## タスク概要\n\n文書を更新してください。', '文書を更新してください。'],
		[
			'Implement this plan:\n\n# Faster import\n\n## Goal\n\nNo waiting.',
			'Implement this plan: Faster import …',
		],
		[
			'We move the shop to the new host. I am its owner.\n\n- Do not restart the queue, only drain it.\n- Never stop the mail.\n\nFirst list the services.',
			'We move the shop to the new host. I am its owner. … First list the services.',
		],
		[
			'The importer is old. It has two tables.\n\nPlease do not touch the tests.\n\nFix the sum of the rows.',
			'The importer is old. It has two tables. … Fix the sum of the rows.',
		],
		[
			'Der Import ist alt.\n\nBitte nichts an den Tests ändern.\n\nBitte die Summe reparieren.',
			'Der Import ist alt. … Bitte die Summe reparieren.',
		],
		['导入功能很旧。\n\n请不要修改测试。\n\n请修复合计。', '导入功能很旧。 … 请修复合计。'],
		[
			'取り込みは古いです。\n\nテストは変更しないでください。\n\n合計を直してください。',
			'取り込みは古いです。 … 合計を直してください。',
		],
		[
			'取り込みは古いです。\n\nテストは変更しないようお願いします。\n\n合計を直してください。',
			'取り込みは古いです。 … 合計を直してください。',
		],
		[
			'Here is the log:\n```\nerror 7\n\nFix the sum of the rows.',
			'Here is the log: Fix the sum of the rows.',
		],
		['你好！\n导入功能从周一开始就出错。请修复 import.ts。', /请修复 import\.ts。$/],
		['您好。我想把导入改成分批处理。', '我想把导入改成分批处理。'],
		[
			`The import of orders is slow. ${'It reads each row twice, which nobody needs. '.repeat(20)}\n\nCan you read each row once?`,
			/^The import of orders is slow\. .* … Can you read each row once\?$/,
		],
		[
			`# Context\n\nThe queue holds ${'old '.repeat(60)}rows.\n\n\`\`\`ts\nfix(rows);\n\`\`\`\n\n# Next\n\nDelete them every night.`,
			/^The queue holds .* … Delete them every night\.$/,
		],
	])('the head reaches the sentence that asks for the work: %j', (request, goal) => {
		const [line = ''] = headOf(user(1, request));
		expect(line.length).toBeLessThan(310);
		const shown = line.replace(/^Goal \(#1\): /, '');
		if (typeof goal === 'string') expect(shown).toBe(goal);
		else expect(shown).toMatch(goal);
	});

	it('a short answer as the current request has the question that it answers', () => {
		const head = headOf(
			user(1, 'Make the import faster.'),
			assistant(2, 'There are two ways. Should I cache the rows (1) or read them once (2)?'),
			user(3, '2, then 1'),
		);
		expect(head).toContain(
			'Current request (#3): 2, then 1 (asked: Should I cache the rows (1) or read them once (2)?)',
		);
		const proposed = headOf(
			user(1, 'Make the import faster.'),
			assistant(2, 'The rows are read twice.\n\n**Want me to cache them?** It takes an hour.'),
			user(3, 'yes, please do'),
		);
		expect(proposed).toContain('Current request (#3): yes, please do (asked: Want me to cache them?)');
	});

	it('an interrupted answer as the current request is marked', () => {
		const head = headOf(
			user(1, 'Make the import faster.'),
			assistant(2, 'Want me to cache the rows?'),
			user(3, 'yes'),
			user(4, '[Request interrupted by user]', { isInjected: true }),
		);
		expect(head).toContain('Current request (#3): yes (asked: Want me to cache the rows?; interrupted)');
	});

	it('the head leaves out work that the user undid', () => {
		const head = headOf(
			user(1, 'Round the figures.'),
			...done(2, [edit('src/a.ts')], [bash('npm test'), 'Tests: 3 passed']),
			user(6, '/undo'),
			assistant(7, 'It is undone.'),
		);
		expect(head.join('\n')).not.toContain('src/a.ts');
		expect(head.join('\n')).toContain('(#5), before later changes');
	});

	it('the head leaves out changes that git reverted', () => {
		const head = headOf(
			user(1, 'Round the figures.'),
			...done(
				2,
				[call('Read', { file_path: 'src/a.ts' })],
				[edit('src/a.ts')],
				[bash('git checkout src/a.ts')],
			),
		);
		expect(head).toEqual(['Goal (#1): Round the figures.']);
	});

	it('a small summary has no head', () => {
		expect(summaryOf([user(1, 'Fix the login.'), assistant(2, 'Done.')], 300)).toMatch(/^## /);
	});
});
