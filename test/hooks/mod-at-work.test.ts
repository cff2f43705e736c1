/** Hooks do nothing for a session that the mod answers, and work if its daemon is gone. */

import { existsSync, readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHookAnswer } from '../../server/hooks/answer.ts';
import { startingChannels } from '../support/channel.ts';
import { needsPosix } from '../support/needs.ts';
import { type HookSession, hookSession, sessionId } from './session.ts';

const channels = startingChannels();
const said = [{ role: 'user', text: 'Never touch the file settings.ini.' }] as const;
const isWindows = process.platform === 'win32';

let session: HookSession;

afterEach(() => session.end());

function answered({ settings, folder, input }: HookSession, more: object = {}): Promise<string> {
	const machine = { settingsPath: settings, platform: 'linux' as const, home: folder, now: Date.now };
	return createHookAnswer(input('SessionStart', { source: 'compact', ...more }), machine);
}

describe.skipIf(isWindows)('sessions that the mod answers', isWindows ? needsPosix : {}, () => {
	it('hooks ignore a session that the mod answers, as long as its daemon runs', async () => {
		session = await hookSession(said);
		const { state } = session;
		const served = await channels.start({ state });
		expect(await answered(session)).toContain('settings.ini');
		const own = served.channel(`claude:${sessionId}`);
		await own.request('session/open', {}, { timeoutMs: 20_000 });
		expect(await answered(session)).toBe('');
		expect(await answered(session, { session_id: 'another' })).toContain('settings.ini');
		await served.stop();
		expect(readdirSync(join(state, 'channel')).filter((name) => name.endsWith('.answered'))).toEqual([]);
		expect(await answered(session)).toContain('settings.ini');
	});

	it('hooks answer a session whose daemon was killed, and the next daemon removes its mark', async () => {
		session = await hookSession(said);
		const { state, folder } = session;
		await mkdir(join(state, 'channel'), { mode: 0o700 });
		const mark = join(state, 'channel', `claude-${sessionId}.answered`);
		await writeFile(mark, `${join(folder, 'gone.sock')}\n`, { mode: 0o600 });
		expect(await answered(session)).toContain('settings.ini');
		await channels.start({ state });
		expect(existsSync(mark)).toBe(false);
	});

	it('hooks answer a session whose id is not a file name', async () => {
		session = await hookSession(said);
		expect(await answered(session, { session_id: '../../settings' })).toContain('settings.ini');
	});
});
