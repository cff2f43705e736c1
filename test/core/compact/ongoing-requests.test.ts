import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const bash = (command: string) => call('Bash', { command });
const start = [
	user(1, 'Write the timetable.'),
	assistant(2, 'The timetable is written.'),
	user(3, 'Repair the import of the tides.'),
];

/** Returns the line about the current request. */
function currentIn(...sources: Source[]): string | undefined {
	return /^Current request .*$/m.exec(summaryOf([...start, ...sources], 3000))?.[0];
}

describe('a request that arrives while the agent works on another', () => {
	it('a short request only adds to the one in work', () => {
		const current = currentIn(
			...done(4, [bash('pip3 install tide'), 'Success']),
			user(6, 'Use uv for packages.'),
		);
		expect(current).toBe(
			'Current request (#3): Repair the import of the tides.; then (#6): Use uv for packages.',
		);
	});

	it('a long request replaces the one in work', () => {
		const long = `Use uv for packages. ${'It locks every version that the harbour uses. '.repeat(8)}`;
		const current = currentIn(...done(4, [bash('pip3 install tide'), 'Success']), user(6, long));
		expect(current).toMatch(/^Current request \(#6\): Use uv/);
	});

	it.each(['Forget the tides, write the notes instead.', 'Stop. Revert everything.', 'Scrap that.'])(
		'a message that replaces the work is the current request: %s',
		(words) => {
			const current = currentIn(...done(4, [bash('pip3 install tide'), 'Success']), user(6, words));
			expect(current ?? '').not.toContain('Repair the import');
		},
	);

	it('a short request adds to the one that replaced the work', () => {
		const current = currentIn(
			...done(4, [bash('make'), 'Success']),
			user(6, 'Stop the import, write the export.'),
			...done(7, [bash('make export'), 'Success']),
			user(9, 'Write it in Go.'),
		);
		expect(current).toBe(
			'Current request (#6): Stop the import, write the export.; then (#9): Write it in Go.',
		);
	});

	it('a request after the end of a turn is the current one', () => {
		const current = currentIn(
			...done(4, [bash('pip3 install tide'), 'Success']),
			assistant(6, 'The import works.'),
			user(7, 'Use uv for packages.'),
		);
		expect(current).toBe('Current request (#7): Use uv for packages.');
	});

	it('a call that reports the end of the work ends the turn', () => {
		const report = call('attempt_completion', { result: 'The import works.' });
		const current = currentIn(...done(4, [report, 'Shown to the user.']), user(6, 'Use uv for packages.'));
		expect(current).toBe('Current request (#6): Use uv for packages.');
	});
});
