import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './ledger-sources.ts';
import { summaryOf } from './summaries.ts';

const thought =
	'The cache is keyed by the path alone, so that two branches share one entry and the second is never built.';

describe('what an agent says in the arguments of a call', () => {
	it('is told as its words, and not once more with the call', () => {
		const think = call('think', { thought });
		const text = summaryOf([user(1, 'Find it.'), assistant(2, '', think), result(3, think, 'Noted.')]);
		expect(text.split('The cache is keyed').length).toBe(2);
		expect(text).not.toMatch(/\bthink The cache/);
	});

	it('stands beside what else the call does', () => {
		const send = call('send', { to: 'the team', message: thought });
		const text = summaryOf([user(1, 'Find it.'), assistant(2, '', send), result(3, send, 'Sent.')]);
		expect(text).toContain('the second is never built.');
		expect(text).toContain('send to=the team');
	});
});

describe('a command in the thread', () => {
	it('is told without what it does with its own output', () => {
		const run = call('Bash', { command: 'make check 2>&1 | tail -40' });
		const text = summaryOf([
			user(1, 'Check it.'),
			assistant(2, '', run),
			result(3, run, 'all 14 checks passed'),
		]);
		expect(text).toContain('Bash make check → all 14 checks passed');
	});
});

describe('a call in the thread', () => {
	it('is told without what was not asked for', () => {
		const list = call('list_files', { path: 'src', deep: true, hidden: false });
		const text = summaryOf([
			user(1, 'Look.'),
			assistant(2, '', list),
			result(3, list, 'Exit code 3\nno such folder'),
		]);
		expect(text).toContain('list_files src deep=true → ');
	});
});

describe('a check', () => {
	it('is not told by the line that says how much of its output is missing', () => {
		const run = call('Bash', { command: 'npm test' });
		const text = summaryOf([
			user(1, 'Check it.'),
			assistant(2, '', run),
			result(3, run, 'Tests: 4 failed, 90 passed\n\n... [10460 lines truncated] ...'),
		]);
		expect(text).toContain('- npm test: Tests: 4 failed, 90 passed (#3)');
	});
});

describe('an answer in data', () => {
	it('stands without the call that asked for it', () => {
		const look = call('get_booking', { booking_id: 'K7Q2_BERGEN' });
		const booking = {
			...result(3, look, 'cabin economy, paid 5120'),
			rows: [{ parent: '', fields: {}, lines: ['cabin economy, paid 5120'] }],
		};
		const text = summaryOf([user(1, 'Which cabin?'), assistant(2, '', look), booking]);
		expect(text.split('K7Q2_BERGEN')).toHaveLength(2);
	});

	it('has what was asked in its label', () => {
		const look = call('get_booking', { id: 'K7Q2' });
		const booking = {
			...result(3, look, 'cabin economy, paid 5120'),
			rows: [{ parent: '', fields: {}, lines: ['cabin economy, paid 5120'] }],
		};
		const text = summaryOf([user(1, 'Which cabin?'), assistant(2, '', look), booking]);
		expect(text).toContain('[#3 get_booking K7Q2] cabin economy, paid 5120');
	});
});
