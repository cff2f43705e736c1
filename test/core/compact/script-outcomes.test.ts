import { describe, expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

const traceback =
	'Traceback (most recent call last):\n  File "/w/tide.py", line 36, in read\n    raise ValueError("levels must be ordered")\nValueError: levels must be ordered';
const elapsed = '\n\nreal\t0m3.821s\nuser\t0m3.810s\nsys\t0m0.012s';

const summaryOfRun = (command: string, output: string, failed = false): string =>
	summaryOf(ran([command, output, failed]));

describe('the outcome of a script', () => {
	it('is the exception with which it ended, although its elapsed time follows', () => {
		const text = summaryOfRun('time python3 tide.py 2>&1 | tail -60', traceback + elapsed);
		expect(text).toMatch(/→ (?:failed: )?ValueError: levels must be ordered$/m);
		expect(text).not.toMatch(/→ .*0m3\.821s/);
	});

	it('is its elapsed time if it printed no exception', () => {
		const text = summaryOfRun('time python3 tide.py 2>&1 | tail -60', `12 levels read${elapsed}`);
		expect(text).toMatch(/real\s0m3\.821s/);
	});

	it('is what it counted, not only the file that it wrote', () => {
		const rows = Array.from({ length: 40 }, (_, index) => `tide ${index} at level ${index * 3}`).join('\n');
		const text = summaryOfRun(
			'python3 audit.py',
			`${rows}\n82 levels consistent, 87 total\nwrote out/audit.json`,
		);
		expect(text).toContain('→ 82 levels consistent, 87 total | wrote out/audit.json');
	});

	it('is that of a check if its name says that it tests', () => {
		const lines = Array.from({ length: 40 }, (_, index) => `[ok] tide ${index}`).join('\n');
		const text = summaryOfRun('python3 src/smoke_test.py', `${lines}\n19/19 tide tests passed`);
		expect(text).toMatch(/^State:.*last check: python3 src\/smoke_test\.py: 19\/19 tide tests passed/m);
	});

	it('is no pass if some of its tests failed', () => {
		const text = summaryOfRun('python3 src/smoke_test.py', '15/18 tide tests passed');
		expect(text).toMatch(/^State:.*smoke_test\.py: unclear: 15\/18/m);
	});

	it('is a failure if there are only complaints below its headings', () => {
		const loop = 'for path in a b; do echo "=== $path ==="; gh api "$path"; done';
		const complaints =
			'=== a ===\n(eval):4: command not found: gh\n\n=== b ===\n(eval):4: command not found: gh';
		const refused = loop.replaceAll('; ', '\n');
		expect(summaryOfRun(refused.replaceAll('\n', ' && '), complaints)).toMatch(
			/→ failed: .*command not found: gh/,
		);
	});

	it('is no match if a search behind a heading finds nothing', () => {
		const text = summaryOfRun('echo "--- log ---"; grep ERROR tide.log', 'Exit code 1\n--- log ---', true);
		expect(text).toMatch(/→ no match/);
	});
});

describe('what a script prints below a heading', () => {
	it('stays with the heading', () => {
		const sites = ['north', 'south', 'east', 'west'].map(
			(one) => `=== https://tides.example/${one}\nHTTP:404 size:12`,
		);
		const text = summaryOfRun('for u in $(cat urls); do probe "$u"; done', sites.join('\n'));
		for (const line of text.split('\n').filter((one) => one.includes('HTTP:404')))
			expect(line).toContain('===');
	});
});

describe('a failed script', () => {
	it('passed later if it ran again behind a here-document that changed it', () => {
		const edit = "python3 - <<'PY'\nopen('tide.py', 'w').write('...')\nPY\npython3 tide.py --json out.json";
		const text = summaryOf(
			ran(['python3 tide.py --json out.json', traceback, true], [edit, 'wrote out.json', false]),
		);
		expect(text).toContain('passed later, #5');
	});
});
