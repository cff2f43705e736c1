import { expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

/** Returns a summary of a command's output. */
function summaryAfter(tool: string, lines: readonly string[]): string {
	const made = call(tool, { command: './collect' });
	return summaryOf(
		[
			user(0, 'Collect the tides.'),
			assistant(1, 'I collect them.', made),
			result(2, made, lines.join('\n')),
			assistant(3, 'Collected.'),
		],
		600,
	);
}

const count = (text: string, word: string): number => text.split(word).length - 1;
const stations = ['cuxhaven', 'emden', 'husum', 'wismar', 'kiel', 'borkum'];

it.each<[string, (index: number) => string]>([
	['a level', (index) => `[WARN ] Tide file not found: /var/tides/run-176400${index}-x${index}q3.json`],
	['a time', (index) => `2026-03-0${index + 1} 09:0${index} fetched tide table ${index}17 from station`],
	['a percentage', (index) => `Updating tables: ${index}7% (${index}8/100)`],
])('a line of a log with %s is quoted twice at most, whatever its numbers are', (_, write) => {
	const lines = [...stations.keys()].map(write);
	for (const tool of ['Bash', 'run_shell_command']) {
		const text = summaryAfter(tool, ['start of the run', ...lines, 'end of the run']);
		expect(lines.filter((line) => text.includes(line)).length).toBeLessThan(3);
	}
});

it('an error that a log repeats is quoted twice at most, whatever precedes its level', () => {
	const lines = [...stations.keys()].map(
		(index) => `2026-03-01 09:0${index}:12 UTC [4757${index}] FATAL: tide table "husum" does not exist`,
	);
	expect(count(summaryAfter('Bash', ['start of the run', ...lines, 'end of the run']), 'FATAL')).toBeLessThan(
		3,
	);
});

it.each<[string, (name: string, index: number) => string]>([
	['results', (_, index) => `page_size=${index}5 served ${index}25 of 223 rows, never served ${index}8`],
	[
		'errors of several services',
		(name) => `2026-03-01 09:00:12 - tides.${name} - ERROR - the table is locked`,
	],
	['errors', (_, index) => `2026-03-01 ERROR TideError: station ${index}17 sent no table`],
	['names', (name, index) => `INFO station ${name} sent ${index}00 rows`],
])('lines of %s are quoted even if they are alike', (_, write) => {
	const lines = stations.map(write);
	const text = summaryAfter('Bash', lines);
	expect(lines.filter((line) => text.includes(line)).length).toBeGreaterThan(3);
	expect(count(text, '## ')).toBeGreaterThan(0);
});

it.each<[string, (name: string) => string]>([
	['find', (name) => `find: ./tides/${name} of the north: Operation not permitted`],
	['git', (name) => `warning: unable to rmdir 'tides-${name}': Directory not empty`],
	['a commit', (name) => `create mode 100644 tides/${name}.json`],
])('complaints of %s about many files are quoted four times at most', (_, write) => {
	const lines = stations.flatMap((station) => [write(station), write(`old-${station}`)]);
	for (const tool of ['Bash', 'exec_command']) {
		const text = summaryAfter(tool, ['start of the run', ...lines, 'end of the run']);
		expect(lines.filter((line) => text.includes(line)).length).toBeLessThan(5);
	}
});

it('complaints of a program in different words are all quoted', () => {
	const lines = [
		'Permission denied',
		'No such file or directory',
		'Is a directory',
		'File name too long',
	].map((message, index) => `cat: tides/${stations[index]}: ${message}`);
	const text = summaryAfter('Bash', lines);
	expect(lines.filter((line) => text.includes(line)).length).toBe(4);
});

it('no line of a long output is cut where its middle is left out', () => {
	const lines = Array.from(
		{ length: 400 },
		(_, index) => `find: ./tides/${stations[index % 6]}/table of ${index}: Operation not permitted`,
	);
	const text = summaryAfter('Bash', ['start of the run', ...lines, 'end of the run']);
	const shown = text
		.split('\n')
		.filter((line) => /find|tides|Operation|permitted/.test(line) && !line.includes('Collect'));
	for (const line of shown)
		expect(lines).toContain(
			line
				.replace(/^\[#2 Bash\]/, '')
				.replace(/ …$/, '')
				.trim(),
		);
});
