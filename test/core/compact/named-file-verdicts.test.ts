import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { ran, sectionIn, summaryOf } from './summaries.ts';

describe('the verdict about the file that a check names', () => {
	it.each([
		['Claude Code', 'Bash', { command: 'npm test tests/cart.test.ts 2>&1 | tail -40' }],
		['Codex', 'exec_command', { cmd: 'npm test tests/cart.test.ts', workdir: '/shop' }],
		['OpenHands', 'execute_bash', { command: 'cd /shop && npx jest tests/cart.test.ts' }],
	])('the verdict about the named file comes first, in the format of %s', (_, name, args) => {
		const output = [
			'FAIL tests/tax.test.ts (2.1 s)',
			'PASS tests/cart.test.ts',
			'FAIL tests/user.test.ts',
			'Tests: 7 failed, 30 passed, 37 total',
		].join('\n');
		const run = call(name, args);
		const checks = sectionIn(
			summaryOf([user(1, 'Run it.'), assistant(2, '', run), result(3, run, output)], 950),
			'checks',
		);
		expect(checks).toContain(': PASS tests/cart.test.ts | Tests: 7 failed, 30 passed, 37 total (#3)');
	});

	it('a passed file among those that a check names does not hide the failure of others', () => {
		const output = 'PASS tests/cart.test.ts\nFAIL tests/tax.test.ts\nTests: 1 failed, 4 passed';
		const text = summaryOf(
			ran(
				['npm test tests/cart.test.ts', `Exit code 1\n${output}`, true],
				['npm test tests/cart.test.ts', output],
			),
		);
		expect(text).not.toContain('passed later');
	});
});
