import { describe, expect, it } from 'vitest';
import { call } from './facts-sources.ts';
import { candidatesOfResult, shellFormats } from './result-candidates.ts';

describe.each(shellFormats)('lines of a result in the format of %s', (_, name, key) => {
	const scoresOf = (command: string, ...lines: string[]): number[] =>
		candidatesOfResult(call(name, { [key]: command }), lines.join('\n')).map(({ score }) => score);

	it('an error in the output of a command that did not fail scores higher than other lines', () => {
		const [found = 0, error = 0, shadow = 0] = scoresOf(
			'ferry doctor --all',
			'Found 10 stuck bookings on pier four',
			'failed to get action: could not open the terminal: no such device',
			'Shadow harbour of the booking: not there yet',
		);
		expect(error).toBeGreaterThan(found);
		expect(found).toBe(shadow);
	});

	it.each([
		'Successfully installed ferry-2.4.1 tide-0.9.0',
		'added 48 packages, and audited 49 packages in 2s',
		'Installed 12 packages in 40ms',
	])('what was installed scores higher than the progress of the download: %s', (line) => {
		const [progress = 0, installed = 0] = scoresOf(
			'install-ferry',
			'Downloading ferry-2.4.1-py3-none-any.whl (229 kB)',
			line,
		);
		expect(installed).toBeGreaterThan(progress);
	});

	const depth = 'Depth: 4 m';

	it.each([
		'WARNING: The script ferry is installed in /home/pier/bin which is not on PATH.',
		'No harbour nearby, falling back to the local tide table',
		`${'/opt/quay'.repeat(40)}/tide.py:18: UserWarning: The driver of the sonar is too old (found 7). ${'See the handbook. '.repeat(9)}`,
	])('a warning that something cannot be used scores higher than other lines: %s', (line) => {
		const [other = 0, , warning = 0] = scoresOf('ferry start', depth, 'Tide: 2 m', line);
		expect(warning).toBeGreaterThan(other);
	});

	it('a warning that something is deprecated scores like other lines', () => {
		const [other, , warning] = scoresOf(
			'ferry start',
			depth,
			'Tide: 2 m',
			'DeprecationWarning: mooring by hand is not supported from version 9 on and deprecated now',
		);
		expect(warning).toBe(other);
	});

	it('a found line of code that mentions an error scores like its neighbours', () => {
		const [error, other] = scoresOf(
			'grep -rn fail src',
			'src/pier.ts:12: throw new TypeError("failed to dock");',
			'src/pier.ts:40: const failover = findHarbour(ship.failover);',
		);
		expect(error).toBe(other);
	});

	it.each(['ferry book --help', 'cd /shop && ferry book --help 2>&1 | head -20', 'man ferry'])(
		'a manual scores lower than other output: %s',
		(command) => {
			const lines = ['book      reserves a deck', 'cancel    frees a deck'];
			const [manual = 0] = scoresOf(command, ...lines);
			expect(manual).toBeLessThan(scoresOf('ferry list', ...lines)[0] ?? 0);
		},
	);

	it('a quoted option is no manual', () => {
		const lines = ['[main 0a1b2c3] Add the --help option', ' 2 files changed, 14 insertions(+)'];
		expect(scoresOf('git commit -m "Add the --help option" && git push', ...lines)).toEqual(
			scoresOf('git commit -m "Add the option" && git push', ...lines),
		);
	});
});

describe('prose in results', () => {
	const kindsOf = (output: string): Set<string> =>
		new Set(candidatesOfResult(call('Bash', { command: 'ferry show' }), output).map(({ kind }) => kind));

	it.each([
		'The pier was closed because the storm broke two of its poles.\nIt opens again when both have been replaced.',
		'Die Anlegestelle ist gesperrt, weil der Sturm zwei Pfähle zerbrochen hat.\nSie öffnet nach der Reparatur wieder.',
		'桟橋は嵐で杭が二本折れたため閉鎖されています。\n修理が終わり次第、再び利用できるようになります。',
	])('sentences are a report: %s', (output) => expect(kindsOf(output)).toEqual(new Set(['statement'])));

	it.each([
		'M  packages/harbour/src/evaluation/validation/pier-validator.ts\nM  packages/harbour/src/evaluation/tide.ts',
		'Modify: 2026-06-14 07:32:35.128675854 +0200\nChange: 2026-06-14 07:32:35.128675854 +0200',
		'Auto-merging packages/harbour/src/evaluation/pier-validator.ts\nBuild\tpending\t0\thttps://example.com/ferry/runs/28515',
	])('paths, dates and statuses are lines: %s', (output) =>
		expect(kindsOf(output)).toEqual(new Set(['resultLine'])),
	);
});
