import { expect, it } from 'vitest';
import { runCommand } from './runCommand.ts';

const nothing = { sessions: [], entries: 0, stored: [], files: 0, remaining: [] };

it.each([
	[['--containing', 'the key'], { recording: true }, ''],
	[['--containing', 'the key'], { recording: true, unread: 2 }, 'First recording 2 transcripts, which may'],
	[['--containing', 'the key'], { recording: false }, 'Recording is off, so only existing'],
	[['--containing', 'the key'], { recording: true, problem: 'disk full' }, 'Recording does not work at the'],
	[['5c1f'], { recording: false }, ''],
])('forget %j says with %j which transcripts may still have the text', async (args, status, text) => {
	const answers = { 'recorder/status': () => status, 'recorder/forget': () => nothing };
	const { code, out } = await runCommand(['forget', ...args], { answers });
	expect({ code, out: out.replace(/\s+/g, ' ') }).toMatchObject({
		code: 0,
		out: expect.stringMatching(text === '' ? /^contextd stores nothing/ : new RegExp(`^${text}`)),
	});
});
