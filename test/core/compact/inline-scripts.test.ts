import { describe, expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const write = call('write', {
	path: '/shop/src/cues.py',
	content: 'def flicker_ratio(window):\n    return window.flicker / window.total\n',
});
const script = [
	"cd /shop && python3 - <<'EOF'",
	'import pathlib',
	"p = pathlib.Path('src/cues.py'); s = p.read_text()",
	"s = s.replace('''def flicker_ratio(window):''', '''def flicker_prominence(window):''')",
	'p.write_text(s)',
	"p = pathlib.Path('src/limits.py'); s = p.read_text()",
	"s = s.replace('ratio_threshold = 4', 'prominence_threshold = 4')",
	'p.write_text(s)',
	'EOF',
	'python3 src/selftest.py 2>&1 | tail -40',
].join('\n');
const scriptCall = call('bash', { command: script });
const filler = Array.from({ length: 8 }, (_, index) => assistant(20 + index, `Step ${index} is done.`));
const text = summaryOf([
	user(1, 'Measure how far the flicker stands out.'),
	...done(2, [write]),
	...done(4, [scriptCall]),
	...filler,
]);

describe('a script inside a command that changes files', () => {
	it('is shown by the files that it names and the command behind it', () => {
		expect(text).toContain('(a script for src/cues.py, src/limits.py) python3 src/selftest.py');
	});

	it('removes the names that it replaces from their file', () => {
		expect(text).not.toContain('defined in cues.py: flicker_ratio');
	});

	it('changes each file that it reads, replaces words in, and writes', () => {
		expect(text).toMatch(/State: changed[^;]*src\/limits\.py/);
	});

	it('is newer than the last edit that shows its text', () => {
		expect(text).not.toContain('(the newest edit)');
	});

	/** Returns a summary of a session that reads a file and runs a script of Python with this output. */
	function summaryOfScript(lines: string[], output: string): string {
		const reading = call('read', { path: '/shop/src/cues.py' });
		const command = ["cd /shop && python3 - <<'EOF'", ...lines, 'EOF'].join('\n');
		return summaryOf([
			user(1, 'Measure how far the flicker stands out.'),
			...done(
				2,
				[reading, 'def flicker_ratio(window):\n    return window.flicker\n'],
				[call('bash', { command }), output],
			),
			...filler,
		]);
	}

	const replacing = [
		"p = 'src/cues.py'; s = open(p).read()",
		"s = s.replace('def flicker_ratio(window):', 'def flicker_prominence(window):')",
		"open(p, 'w').write(s)",
	];

	it('changes nothing if it only has its write in a comment', () => {
		const commented = replacing.map((line) => line.replace(/^open/, '# open'));
		const shown = summaryOfScript(commented, 'done');
		expect(shown).not.toMatch(/State: changed|- changed/);
		expect(shown).toContain('def flicker_ratio(window)');
	});

	it('changes its files although a program behind it fails', () => {
		const shown = summaryOfScript(
			replacing,
			'Traceback (most recent call last):\n  File "src/selftest.py", line 2\nAssertionError',
		);
		expect(shown).toContain('State: changed');
	});

	it('changes all files of its list', () => {
		const loop = [
			"for f in ['src/cues.py', 'src/limits.py']:",
			'    p = Path(f); s = p.read_text()',
			"    p.write_text(s.replace('ratio', 'prominence'))",
		];
		expect(summaryOfScript(loop, 'done')).toMatch(/State: changed[^;]*src\/cues\.py[^;]*src\/limits\.py/);
	});

	it('leaves lines alone that only contain one of several replaced lines', () => {
		const lines = [
			"p = 'src/cues.py'; s = open(p).read()",
			"s = s.replace('''    if closed:\n    return''', '''    pass''')",
			"open(p, 'w').write(s)",
		];
		expect(summaryOfScript(lines, 'done')).toContain('return window.flicker');
	});

	it('does not take back what another command of the call writes', () => {
		const command =
			"cat > /shop/src/api.ts <<'EOF'\nthrow new Error('not found');\nEOF\nnpx vitest run | tail -5";
		const shown = summaryOf([
			user(1, 'Write the service.'),
			...done(2, [call('bash', { command }), 'Error: not found\n1 failed']),
			...filler,
		]);
		expect(shown).toMatch(/State: changed[^;]*api\.ts/);
	});

	it('may have lines like comments in its texts', () => {
		const lines = [
			"p = 'src/cues.py'; s = open(p).read()",
			'old = """retry = 3\n# keep"""',
			'new = """retry = 4\n# keep"""',
			"open(p, 'w').write(s.replace(old, new))",
		];
		expect(summaryOfScript(lines, 'done')).toMatch(/State: changed[^;]*src\/cues\.py/);
	});
});

describe('the quoted lines of a script that edits a file', () => {
	const python = [
		"python3 - <<'PY'",
		'from pathlib import Path',
		"path = Path('src/tide.html')",
		'text = path.read_text()',
		"needle = '  </harbourHead>'",
		"insert = '  <tide src=loadTide.js level=7>window.tideLevel = moorAngle;</tide>'",
		'if needle not in text:',
		"    raise SystemExit('needle not found in tide.html')",
		'path.write_text(text.replace(needle, insert, 1))',
		'PY',
	];
	const node = [
		"node - <<'NODE'",
		"const fs = require('fs');",
		"let src = fs.readFileSync('src/tide.html', 'utf8');",
		'const oldHead = `  </harbourHead>`;',
		'const newHead = `  <tide src=loadTide.js level=7>window.tideLevel = moorAngle;</tide>`;',
		"if (!src.includes(oldHead)) throw new Error('oldHead missing in tide.html');",
		'src = src.replace(oldHead, newHead);',
		"fs.writeFileSync('src/tide.html', src);",
		'NODE',
	];
	it.each([
		['bash', 'command', python],
		['exec_command', 'cmd', node],
	])('are those that it adds, with %s', (tool, key, lines) => {
		const edit = call(tool, { [key]: lines.join('\n') });
		const names = ['tideLevel', 'moorAngle', 'loadTide', 'harbourHead'].join(', ');
		const shown = [400, 800, 1600].map((budget) =>
			summaryOf([user(1, 'Show the tide.'), ...done(2, [edit]), user(4, `Use ${names} again.`)], budget),
		);
		expect(shown.at(-1)).toContain('window.tideLevel = moorAngle');
		for (const one of shown)
			expect(one).not.toMatch(
				/needle not found|oldHead missing|write_text\(text|writeFileSync\('src|<\/harbourHead>/,
			);
	});
});
