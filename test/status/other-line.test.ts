import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runOtherStatusLine } from '../../server/status/otherLine.ts';
import { eventually } from '../support/eventually.ts';

describe.skipIf(process.platform === 'win32')('status line of another command', () => {
	it('the other command runs in a shell, with the same input', async () => {
		expect(await runOtherStatusLine('read line; echo "<$line>" | tr a b; echo second', 'abc\n')).toBe(
			'<bbc>\nsecond',
		);
	});

	it('a failing command shows nothing', async () => {
		expect(await runOtherStatusLine('echo half; exit 3', '')).toBe('');
		expect(await runOtherStatusLine('no-such-command-anywhere', '')).toBe('');
	});

	it('a command is stopped after a second, with everything that it started', async () => {
		expect(await runOtherStatusLine('echo early; sleep 3117.3 & sleep 3117.3', '')).toBe('early');
		const commands = () => execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).split('\n');
		await eventually(() => expect(commands()).not.toContain('sleep 3117.3'));
	});

	it('a command may ignore its input', async () => {
		expect(await runOtherStatusLine('exec <&-; echo done', 'x'.repeat(1 << 20))).toBe('done');
	});
});
