import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionAppend, sessionOpen } from '../../server/protocol/session.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { cleanUp, type Daemon, daemonFile, freshHome, startDaemon } from '../support/daemon.ts';
import { conversation, historyIn } from '../support/talk.ts';

let daemon: Daemon;

const workspace = () => pathToFileURL(daemon.home).href;

interface Ended {
	code: number | null;
	out: string;
	err: string;
}

/** Runs the built command in the folder of the session. */
const contextd = (...args: string[]): Promise<Ended> => contextdIn(daemon.home, ...args);

/** Runs the built command in a state folder. */
async function contextdIn(home: string, ...args: string[]): Promise<Ended> {
	const child = spawn(process.execPath, [daemonFile, ...args], {
		env: { PATH: process.env.PATH, HOME: home, CONTEXTD_HOME: home },
		cwd: home,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
	const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
	return { code, out, err };
}

beforeEach(async () => {
	daemon = await startDaemon();
	await daemon.ask(sessionOpen, { sessionId: 's', workspace: workspace(), provider: 'anthropic' });
	await daemon.ask(sessionAppend, { sessionId: 's', messages: conversation(20, 200) });
});

afterEach(cleanUp);

describe('contextd commands on a session that a daemon holds', () => {
	it('contextd compact compacts a session that a daemon holds, and the printed command undoes it', async () => {
		const before = await historyIn(daemon, 's');
		const { code, out, err } = await contextd('compact', '--session', 'newest');
		expect({ code, err }).toEqual({ code: 0, err: '' });
		expect(out).toMatch(/^Compacted s: [\d,]+ → [\d,]+ tokens \(.*\)\n/);
		const [, hint = ''] = /Undo it {5}contextd (.*)\n/.exec(out) ?? [];
		expect(await historyIn(daemon, 's')).not.toEqual(before);
		const undone = await contextd(...hint.split(' '));
		expect(undone.out).toMatch(/^Undone in s: [0-9a-f-]{36}\n/);
		expect(undone.out).toContain('contextd compact --session s');
		expect(undone.out).not.toContain('Go further');
		expect(await historyIn(daemon, 's')).toEqual(before);
		const nothing = await contextd('undo', '--session', 's');
		expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('nothing to undo') });
	});

	it('contextd history and recall read a session whether or not a daemon holds it', async () => {
		const { code, out } = await contextd('history', '--session', 'newest');
		expect(code).toBe(0);
		const lines = out.trimEnd().split('\n');
		expect(lines.at(-1)).toBe('20 messages');
		expect(new Set(lines).size).toBe(lines.length);
		const found = await contextd('recall', 'turn', '7', '--session', 's', '--json');
		expect(JSON.parse(found.out).matches[0]).toMatchObject({ messageId: expect.any(String) });
		await daemon.quit();
		expect((await contextd('recall', 'turn', '--session', 's')).out).toMatch(/\d+ messages with these words/);
	});

	it('contextd compact and undo refuse a session that mirrors a transcript, and name what gives control', async () => {
		const path = join(daemon.home, 'session.jsonl');
		const line = {
			type: 'user',
			uuid: 'u1',
			sessionId: 'x',
			cwd: daemon.home,
			timestamp: '2026-01-01T00:00:00.000Z',
			message: { role: 'user', content: 'hello' },
		};
		await writeFile(path, `${JSON.stringify(line)}\n`);
		const { sessionId } = await daemon.ask(contextImport, { path, workspace: workspace(), follow: true });
		for (const name of ['compact', 'undo']) {
			const { code, err } = await contextd(name, '--session', sessionId);
			expect(code).toBe(2);
			expect(err).toContain('mirrors a transcript of Claude Code');
			expect(err).toContain('contextd install claude');
		}
		expect((await contextd('history', '--session', 'newest')).out).toContain('20 messages');
	});
});

it('contextd names the newest sessions if the given one does not exist', async () => {
	expect(await contextd('undo', '--session', 'none')).toMatchObject({
		code: 2,
		err: 'contextd: there is no stored session "none"; the newest stored ones: s\n',
	});
	for (const args of [['undo'], ['recall', '--session', 's'], ['compact', 'x.jsonl', '--session', 's']]) {
		expect((await contextd(...args)).code).toBe(2);
	}
});

it('contextd reads a session of an isolated process, and names that process when it cannot write', async () => {
	const alone = await startDaemon({ flags: ['--isolated'] });
	await alone.ask(sessionOpen, { sessionId: 'a' });
	await alone.ask(sessionAppend, { sessionId: 'a', messages: conversation(20, 200) });
	expect((await contextdIn(alone.home, 'history', '--session', 'a')).out).toContain('20 messages');
	expect(await contextdIn(alone.home, 'compact', '--session', 'a')).toMatchObject({
		code: 1,
		err: expect.stringContaining(`is used by process ${alone.process.pid}`),
	});
});

it.skipIf(process.platform === 'win32')('contextd history does not wait for a suspended daemon', async () => {
	const home = await freshHome();
	await contextdIn(home, 'history', '--session', 'none');
	const { pid } = JSON.parse((await contextdIn(home, 'daemon', 'status', '--json')).out);
	process.kill(pid, 'SIGSTOP');
	try {
		expect(await contextdIn(home, 'history', '--session', 'none')).toMatchObject({
			code: 1,
			err: expect.stringContaining(`the daemon (process ${pid}) does not answer`),
		});
	} finally {
		process.kill(pid, 'SIGCONT');
	}
});
