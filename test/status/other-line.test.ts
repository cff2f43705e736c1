import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shownByCommand } from '../../server/status/otherLine.ts';
import { eventually } from '../support/eventually.ts';

describe.skipIf(process.platform === 'win32')('the status line of another command', () => {
	it('is run in a shell, with the same input', async () => {
		expect(await shownByCommand('read line; echo "<$line>" | tr a b; echo second', 'abc\n')).toBe(
			'<bbc>\nsecond',
		);
	});

	it('shows nothing where it fails, as beside no other', async () => {
		expect(await shownByCommand('echo half; exit 3', '')).toBe('');
		expect(await shownByCommand('no-such-command-anywhere', '')).toBe('');
	});

	it('is waited for no longer than a second, and ends then with all that it started', async () => {
		expect(await shownByCommand('echo early; sleep 3117.3 & sleep 3117.3', '')).toBe('early');
		const commands = () => execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).split('\n');
		await eventually(() => expect(commands()).not.toContain('sleep 3117.3'));
	});

	it('may leave what it is handed unread', async () => {
		expect(await shownByCommand('exec <&-; echo done', 'x'.repeat(1 << 20))).toBe('done');
	});
});
