import { describe, expect, it } from 'vitest';
import type { RecorderStatus } from '../../server/protocol/recorder.ts';
import { runCommand } from './runCommand.ts';

const status: RecorderStatus = {
	recording: true,
	maxBytes: 5 * 2 ** 30,
	maxDays: 365,
	excludedFolders: ['/private'],
	folder: '/state/recorder',
	recordings: 3,
	bytes: 1_200_000,
};

const session = { recordingId: '5c1f09ab3e', title: 'Fix it', path: '/t.jsonl' };

/** Runs a command; returns its output and what the daemon was asked. */
async function run(...args: string[]) {
	const asked: unknown[] = [];
	const answer =
		(result: object) =>
		(params: object): object => {
			asked.push(params);
			return result;
		};
	const answers = {
		'recorder/status': answer({ ...status, problem: 'the disk or quota is full', unread: 1 }),
		'recorder/set': answer(status),
		'recorder/pin': answer(session),
	};
	return { ...(await runCommand(['record', ...args], { answers })), asked };
}

describe('contextd record', () => {
	it('starts recording with the limits that were given, and says what is kept and where', async () => {
		const { code, out, asked } = await run(
			'on',
			'--exclude',
			'/private',
			'--max-size',
			'500m',
			'--max-days',
			'30',
		);
		expect(code).toBe(0);
		expect(asked).toEqual([
			{ recording: true, excludedFolders: ['/private'], maxBytes: 500 * 2 ** 20, maxDays: 30 },
		]);
		expect(out).toContain('Recording the sessions of all agents on this machine\n');
		expect(out).toContain('3 recordings · 1.2 MB in /state/recorder\n');
		expect(out).toContain('At most 5 GiB and 365 days');
		expect(out).toContain('Not recorded: /private\n');
	});

	it('stops recording and changes nothing else', async () => {
		expect(await run('off')).toMatchObject({ code: 0, asked: [{ recording: false }] });
	});

	it('shows why nothing can be recorded at the moment', async () => {
		expect((await run('status')).out).toContain('Not working at the moment: the disk or quota is full\n');
		expect((await run('status')).out).toContain('Still to be recorded: 1 transcript\n');
		expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({ recordings: 3 });
	});

	it('pins and unpins a recording by its name', async () => {
		expect(await run('pin', '5c1f')).toMatchObject({
			asked: [{ recordingId: '5c1f', pinned: true }],
			out: '5c1f09ab3e (Fix it) is kept until you erase it\n',
		});
		expect((await run('unpin', '5c1f')).asked).toEqual([{ recordingId: '5c1f', pinned: false }]);
	});

	it.each([
		[['maybe'], 'record: expected one of on, off, status, pin, unpin, got "maybe"'],
		[['pin'], 'record pin: expected one SESSION'],
		[['on', 'now'], 'record on: expected no operand'],
		[['off', '--max-days', '3'], 'record off: --max-days belongs to record on'],
		[['on', '--max-days', '0'], '--max-days: expected a number of days from 1 to 36500, got "0"'],
		[['on', '--max-size', '5x'], '--max-size: expected a size such as 500m or 5g, got "5x"'],
		[['on', '--exclude', ' '], '--exclude needs a folder'],
	])('refuses %j and says what was expected', async (args, problem) => {
		const { code, err, asked } = await run(...args);
		expect(code).toBe(2);
		expect(err).toContain(problem);
		expect(asked).toEqual([]);
	});
});
