import { expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const names = ['tideOffset', 'moorAngle', 'keelDepth', 'hullWidth', 'mastCount', 'sailArea'];
const script = `python3 - <<'EOF'\n${names.map((name) => `print(measure_${name}(ferry, "${name}.csv"))`).join('\n')}\nEOF`;
const output = names.map((name, index) => `${name}.csv has ${index + 3}41 rows, checksum 8f${index}c2a91`);

it.each([
	['Bash', { command: script }],
	['exec_command', { cmd: script }],
	['shell', { command: ['bash', '-lc', script] }],
	['run_shell_command', { command: script }],
	['browser', { action: 'run', code: script }],
])('what a script printed is quoted before the lines of the script: %s', (tool, args) => {
	const measured = call(tool, args);
	const text = summaryOf(
		[
			user(0, 'Measure the ferry.'),
			assistant(1, 'I measure it.', measured),
			result(2, measured, output.join('\n')),
			assistant(3, 'Measured.'),
		],
		120,
	);
	const count = (lines: readonly string[]): number => lines.filter((line) => text.includes(line)).length;
	expect(count(output)).toBeGreaterThan(2);
	expect(count(names.map((name) => `print(measure_${name}`))).toBe(0);
});

it.each([
	['Bash', 'command'],
	['exec_command', 'cmd'],
])('of a program that failed and was repeated with %s, the attempt that passed is quoted', (tool, key) => {
	const body = names.map((name) => `export const ${name} = measure("${name}.csv");`).join('\n');
	const program = `node <<'EOF'\nrequire('fs').writeFileSync('src/tide.ts', \`${body}\`);\nEOF`;
	const failed = call(tool, { [key]: program });
	const passed = call(tool, { [key]: `cat > src/tide.ts <<'EOF'\n${body}\nEOF` });
	const text = summaryOf(
		[
			user(0, 'Measure the ferry.'),
			assistant(1, 'I write it.', failed),
			result(2, failed, "Exit code 1\nSyntaxError: Unexpected token '.' in src/tide.ts", true),
			assistant(3, 'I write it another way.', passed),
			result(4, passed, ''),
			assistant(5, 'Written.'),
		],
		1000,
	);
	expect(text).not.toMatch(/^\[#1 .*\(failed\)/m);
	expect(text).toMatch(/^\[#3 .*\] (?:.*\n){0,9}.*export const /m);
});

it('the lines of a script are labelled as a script', () => {
	const measured = call('Bash', { command: script });
	const text = summaryOf(
		[
			user(0, 'Measure the ferry.'),
			assistant(1, 'I measure it.', measured),
			result(2, measured, 'done'),
			assistant(3, 'Measured.'),
		],
		1000,
	);
	expect(text).toMatch(/^\[#1 Bash script\] .*measure_/m);
});

it('a file that a program inserted is quoted after results', () => {
	const read = call('Bash', { command: 'list-berths' });
	const file = `src/pier.py\n${names.map((name) => `def moor_${name}(ferry): return ferry.${name}`).join('\n')}`;
	const text = summaryOf(
		[
			user(0, 'List the berths.'),
			{ ...user(1, file), isInjected: true },
			assistant(2, 'I list them.', read),
			result(3, read, output.join('\n')),
			assistant(4, 'Listed.'),
		],
		150,
	);
	expect(output.filter((line) => text.includes(line)).length).toBeGreaterThan(2);
	expect(text).not.toContain('def moor_');
});

it('the name of a tool is not quoted on its own', () => {
	const plain = 'The harbour master asked for a calm and orderly list of all the boats that came in today.';
	const body = names.map((name) => `export ${name}=$(berth --${name})`).join('\n');
	const sources = [
		user(0, 'Measure the ferry.'),
		...names.flatMap((name, index) => {
			const written = call('bash', { command: `cat > ${name}.sh <<'EOF'\n${body}\nEOF` });
			const text = `${plain} Now I write the script \`${name}.sh\` that measures \`${name}\`.`;
			return [assistant(2 * index + 1, text, written), result(2 * index + 2, written, '')];
		}),
		assistant(20, 'Measured.'),
	];
	for (let budget = 100; budget <= 1200; budget += 20)
		expect(summaryOf(sources, budget)).not.toMatch(/^\s?(?:\[#\d+\]\s)?bash$/m);
});
