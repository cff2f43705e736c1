import { expect, it } from 'vitest';
import { isCheckCall } from '../../../server/core/analysis/shell/commands.ts';
import { createUserTextMatcher, normalizeForComparison } from '../../../server/core/modelSummary/verify.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

const size = 1_000_000;

it.each([
	['spaces', `a${' '.repeat(size)}b`],
	['empty lines', `a${'\n'.repeat(size)}b`],
	['stops', `a${'. '.repeat(size / 2)}b`],
	['the words again and again, each denied', 'not use tabs. '.repeat(size / 14)],
	['the words again and again in one sentence', `not ${'use tabs '.repeat(size / 9)}`],
])('a megabyte of %s is searched for a quotation in linear time', (_, text) => {
	const spent = processorClock();
	const said = createUserTextMatcher([text]);
	expect([said.hasQuote('use tabs'), said.hasRule(text.slice(0, 2000))]).toContain(false);
	expect(spent()).toBeLessThan(5000 * machineSlowness());
});

it('texts are compared with quotations without regard to spacing, markup and empty lines', () => {
	expect(normalizeForComparison('  * One **two**\n \n\n\tthree   four ')).toBe('- one two\nthree four');
});

it('a check is found after a here-document, but not inside one', () => {
	const check = (command: string): boolean => isCheckCall({ id: 'c', name: 'bash', args: { command } });
	expect(check("cat > a.txt <<'EOF'\nnpm test\nEOF\nls")).toBe(false);
	expect(check("cat > a.txt <<'EOF'\nhello\nEOF\nnpm test")).toBe(true);
	expect(check('base64 -d <<<word\nnpm test')).toBe(true);
});

it('options and installed programs whose names contain a word of checks make no check', () => {
	const check = (command: string): boolean => isCheckCall({ id: 'c', name: 'bash', args: { command } });
	expect(check('chromium --headless --virtual-time-budget=3000 --screenshot=island.png')).toBe(false);
	expect(check('curl --max-time 5 http://localhost:8080/health')).toBe(false);
	expect(check('docker ps --format json')).toBe(false);
	expect(check('apt-get install -y build-essential')).toBe(false);
	expect(check('npm install --save-dev jest')).toBe(false);
	expect(check('prettier --check .')).toBe(true);
	expect(check('time ./render')).toBe(true);
	expect(check('npm run format')).toBe(true);
});
