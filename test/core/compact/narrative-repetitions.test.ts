import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran, sectionIn, summaryOf } from './summaries.ts';

const thought =
	'The ledger of payments is stored in the accounts folder, so the importer must read it there.';
const written = 'The ledger of payments is stored in the `accounts/` folder; the importer reads it there.';

describe('repetitions of an agent', () => {
	it('a thought that the answer repeats is left out', () => {
		const text = summaryOf([
			user(1, 'Find the ledger.'),
			{ ...assistant(2, `${thought}\n${written}`), thoughtLength: thought.length + 1 },
		]);
		expect(text).toContain(written);
		expect(text).not.toContain(thought);
	});

	it('only thoughts that the answer does not repeat are shown', () => {
		const first = 'The importer reads all payments twice, because the index of accounts is missing.';
		const second = 'The exporter folder has a stale lock that I leave alone.';
		const answer = 'The importer reads all payments twice. In production the index of accounts is missing.';
		const text = summaryOf([
			user(1, 'Find the ledger.'),
			{ ...assistant(2, `${first} ${second}\n${answer}`), thoughtLength: first.length + second.length + 2 },
		]);
		expect(text).toContain(answer);
		expect(text).toContain(second);
		expect(text).not.toContain(first);
	});

	it('equal statements in two messages are both shown', () => {
		const text = summaryOf([
			user(1, 'Find the ledger.'),
			assistant(2, thought),
			user(3, 'Once more, for the other importer.'),
			assistant(4, written),
		]);
		expect(text).toContain(thought);
		expect(text).toContain(written);
	});

	it('a failure that its call reports is not quoted again', () => {
		const view = call('str_replace_editor', { command: 'view', path: 'hello.py' });
		const text = summaryOf([
			user(1, 'Show it.'),
			assistant(2, 'I look at it.', view),
			result(3, view, 'Invalid `path` parameter: hello.py. The path should be absolute.', true),
			assistant(4, 'I need the whole path.'),
		]);
		expect(text.split('should be absolute')).toHaveLength(2);
	});

	it.each([
		['Bash', { command: 'pwd && ls -la' }],
		['run_shell_command', { command: 'cd /srv && ls' }],
		['Glob', { pattern: '*' }],
	])('a listing of files by %s takes a line, not one for each name', (name, args) => {
		const list = call(name, args);
		const names = ['ledger', 'harbour', 'ferries', 'seats', 'fares', 'desk', 'berths', 'crew'];
		const text = summaryOf([user(1, 'Look.'), assistant(2, '', list), result(3, list, names.join('\n'))]);
		expect(text).toContain(names.join(' | '));
		expect(text.match(/ledger/g)).toHaveLength(1);
	});

	it('a listing of files takes a line or two although a sentence follows it', () => {
		const list = call('Bash', { command: 'ls && date' });
		const names = Array.from({ length: 24 }, (_, no) => `berth-${no}`);
		const output = [...names, 'Thu Nov 26 10:00:00 UTC 2026'].join('\n');
		const text = summaryOf([user(1, 'Look.'), assistant(2, '', list), result(3, list, output)]);
		expect(text.split('\n').filter((line) => line.includes('berth-')).length).toBeLessThan(4);
		expect(text).toContain('Thu Nov 26');
	});

	it.each([
		['rows', 'export_bookings', {}, (no: number) => `L-${no},ada,3`],
		['Japanese lines', 'list_rules', {}, (no: number) => `予約${no}：七時`],
		['a file', 'Read', { file_path: 'words.txt' }, (no: number) => `harbour-${no}`],
	])('lines of %s are not joined like names', (_, name, args, line) => {
		const lines = [1, 2, 3, 4, 5].map(line);
		const show = call(name, args);
		const text = summaryOf([user(1, 'Look.'), assistant(2, '', show), result(3, show, lines.join('\n'))]);
		expect(text).toContain(line(1));
		expect(text).not.toContain(' | ');
	});

	it('a task list is not repeated in the narrative', () => {
		const plan = call('TodoWrite', {
			todos: [
				{
					content: 'Write the importer of ledgers',
					status: 'in_progress',
					activeForm: 'Writing the importer',
				},
				{ content: 'Describe the format of ledgers', status: 'pending', activeForm: 'Describing the format' },
			],
		});
		const text = summaryOf([
			user(1, 'Go on.'),
			assistant(2, '', plan),
			result(3, plan, 'Todos have been modified'),
		]);
		expect(sectionIn(text, 'plan')).toBe(
			'- (in progress) Write the importer of ledgers\n- Describe the format of ledgers\n- (kept with the tool TodoWrite, changed last in #2)',
		);
		expect(sectionIn(text, 'events')).not.toContain('importer');
	});
});

describe('actions that others see', () => {
	it('an action that others see is preferred to local ones', () => {
		const text = summaryOf(
			ran(
				["sqlite3 local.db 'delete from thumbnails where stale and size > 10' .quit", ''],
				["gh api repos/a/b/pulls/9/comments -X POST -f body='Agreed'", '{}'],
				["sqlite3 other.db 'delete from thumbnails where stale and size > 10' .quit", ''],
			),
			80,
		);
		expect(text).toContain('gh api repos/a/b/pulls/9/comments -X POST');
		expect(text).not.toContain('sqlite3');
	});
});
