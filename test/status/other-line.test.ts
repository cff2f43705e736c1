import { describe, expect, it } from 'vitest';
import { shownByCommand } from '../../server/status/otherLine.ts';

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
		const begun = performance.now();
		expect(await shownByCommand('echo early; sleep 31.173 & sleep 31.173', '')).toBe('early');
		expect(performance.now() - begun).toBeLessThan(3000);
		const left = await shownByCommand('ps -eo pgid=,args= | grep -c "[s]leep 31.173" || true', '');
		expect(left).toBe('0');
	});

	it('may leave what it is handed unread', async () => {
		expect(await shownByCommand('exec <&-; echo done', 'x'.repeat(1 << 20))).toBe('done');
	});
});
