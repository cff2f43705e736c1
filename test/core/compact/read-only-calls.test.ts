import { describe, expect, it } from 'vitest';
import { isReadOnly } from '../../../server/core/analysis/shell/commands.ts';
import { workLimits } from '../../../server/core/compact/tuning.ts';
import { call } from './facts-sources.ts';

/** Calls of the same command in the formats of several agents. */
const formats: [agent: string, create: (command: string) => ReturnType<typeof call>][] = [
	['Claude Code', (command) => call('Bash', { command, description: 'Run it' })],
	['Codex', (cmd) => call('exec_command', { cmd, workdir: '/w' })],
	['Codex with an array', (command) => call('shell', { command: ['bash', '-lc', command] })],
	['Gemini CLI', (command) => call('run_shell_command', { command })],
	['Cline', (command) => call('execute_command', { command, requires_approval: false })],
];

describe.each(formats)('calls that only read, as %s writes them', (_, create) => {
	it.each([
		'cat src/rows.ts',
		'cat src/rows.ts 2>/dev/null',
		'grep -rn "a > b" src 2>&1 | head -20',
		'cd src && ls -la && git status --short',
		'sed -n 1,80p src/rows.ts | sort | uniq -c',
		'find . -name "*.ts" -exec grep -l total {} \\;',
		'rg total | awk \'{print $1 ":" $2}\' | xargs -n 1 wc -l',
		'cat a.log > NUL',
		'ls missing || true',
		"sed -n '/total/,/end/p; 1,5p' src/rows.ts",
		"cat a.ts | sed -E 's/ +/ /g; s/a/b/' | head -5",
		'rg --pretty total src',
	])('includes %s', (command) => {
		expect(isReadOnly(create(command))).toBe(true);
	});

	it.each([
		"cat > src/rows.ts <<'EOF'\nexport const rows = [];\nEOF",
		'cat a b >> all.txt',
		'cat seed > "$OUT/seed.sql"',
		"sed -n '1,5p' a.ts > b.ts",
		"sed -n -i '1,5p' a.ts",
		"sed -n '/total/w found.txt' a.ts",
		'find . -name "*.tmp" -delete',
		'find . -name "*.tmp" -exec rm {} +',
		'find . -type f -fprint list.txt',
		'find . -name "*.ts" | xargs sed -i s/a/b/',
		'cat a | tee b',
		'cat a.txt | sort -o a.txt',
		'cat a.txt | sort --output=a.txt',
		'cat a.txt | uniq - b.txt',
		'ls && git diff > p.patch',
		'ls && git -C . checkout main',
		'grep -q total a.ts && rm a.ts',
		'cat a.ts; (cd src && rm b.ts)',
		'cat seed.sql | psql shop',
		'ls && bash -c "rm a.ts"',
		'cat "$(make gen)"',
		'cat `make gen`',
		"grep -q '$x' a.ts && echo it\\'s $(rm a.ts)",
		"sed -n '1e rm a.ts' a.ts",
		'sed -n 1e a.ts',
		"sed -n 's/a/rm b/e' a.ts",
		"sed -n 's|a|b|w out.txt' a.ts",
		"sed -n -e '1p' -e '2wout.txt' a.ts",
		'sed -n -f script.sed a.ts',
		'rg --pre ./convert total src',
		'rg --pre=./convert total src',
		'cat a | awk \'{print | "sort > b"}\'',
		"cat a | awk '{print $1 |cmd}'",
		'cat a | awk \'{print "a;b" > "b"}\'',
		'cat a | awk \'{printf("%s}", $1) >> "b"}\'',
		'cat a | awk \'BEGIN {system ("rm b")}\'',
		'cat a | awk \'BEGIN {"rm b" | getline x}\'',
		'cat a | awk -f script.awk',
		'cat a | awk "$script"',
		'ls && git -c core.pager=./run log',
		'ls && git grep --open-files-in-pager=./run total',
		'ls && git grep -O./run total',
		'cat a.txt | sort --compress-program=./run',
	])('excludes %s', (command) => {
		expect(isReadOnly(create(command))).toBe(false);
	});
});

describe('calls that only read', () => {
	it.each(['echo x > file', 'sort -o a.txt a.txt', 'tee a.txt', 'git diff > p.patch', 'rm a.txt'])(
		'excludes a command that starts with another program: %s',
		(command) => {
			expect(isReadOnly(call('Bash', { command }))).toBe(false);
		},
	);

	it('excludes a command that is too long to be judged', () => {
		const command = `cat ${'a.ts '.repeat(workLimits.maxLengthOf.command / 5)}`;
		expect(isReadOnly(call('Bash', { command }))).toBe(false);
	});

	it.each(['Read', 'read_file', 'mcp__shop__get_order'])('includes the tool %s', (name) => {
		expect(isReadOnly(call(name, { path: 'a.ts' }))).toBe(true);
	});
});
