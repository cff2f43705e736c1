import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createDaemon, type PluginDaemon } from '../../kit/node/daemon.ts';
import { createPluginServices } from '../../kit/node/start.ts';
import { createViewFiles } from '../../kit/node/viewFiles.ts';
import { freshFolder, removeFolders } from '../support/app.ts';

const file = fileURLToPath(new URL('../../dist/contextd.cjs', import.meta.url));
let daemon: PluginDaemon | undefined;

afterEach(async () => {
	await daemon?.close();
	daemon = undefined;
	await removeFolders();
});

function start(command: readonly string[] = [process.execPath, file, '--stdio']): PluginDaemon {
	if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first`);
	daemon = createDaemon({ command, env: { CONTEXTD_HOME: freshFolder() } });
	return daemon;
}

const patient = { timeoutMs: 20_000 };

describe('daemon of a plugin', () => {
	it('the daemon starts at the first request, and again after it ended', async () => {
		const { ask } = start();
		const { created } = await ask('session/open', { sessionId: 'opencode:a' }, patient);
		expect(created).toBe(true);
		await daemon?.close();
		expect((await ask('session/open', { sessionId: 'opencode:a' }, patient)).created).toBe(false);
	});

	it('ready resolves once the daemon answers, and rejects if it cannot start', async () => {
		const { ready, ask } = start();
		await ready();
		await ready();
		expect((await ask('session/open', { sessionId: 'a' }, patient)).created).toBe(true);
		await expect(start([join(freshFolder(), 'nothing')]).ready()).rejects.toThrow(
			'could not start the daemon',
		);
	});

	it('a request fails without an answer in time, and if the daemon refuses it', async () => {
		const { ask } = start();
		await expect(ask('session/open', { sessionId: 'a' }, { timeoutMs: 1 })).rejects.toThrow(
			'the daemon did not answer in time',
		);
		await expect(ask('context/stats', { sessionId: 'nobody' }, patient)).rejects.toMatchObject({
			kind: 'SessionNotFound',
		});
	});

	it('a daemon that cannot start is not started again at once', async () => {
		const { ask } = start([join(freshFolder(), 'nothing')]);
		await expect(ask('session/open', {}, patient)).rejects.toThrow('could not start the daemon');
		await expect(ask('session/open', {}, patient)).rejects.toThrow('a moment ago');
	});
});

describe('settings of an installed plugin', () => {
	it('the limit for results is read from the settings before the daemon has answered', async () => {
		const stateFolder = freshFolder();
		const settings = join(stateFolder, 'settings.json');
		const ground = () =>
			createPluginServices(JSON.stringify({ argv: ['contextd'], stateFolder, settings }), stateFolder);
		expect(ground().resultTokens).toBe(4000);
		await writeFile(settings, '{"agents": {"toolResultTokens": 0}}');
		expect(ground().resultTokens).toBe(0);
		await writeFile(settings, '{"agents": {"toolResultTokens": "many"}}');
		expect(ground().resultTokens).toBe(4000);
	});
});

describe('stored views', () => {
	it('views are stored in private files and read back unchanged', async () => {
		const folder = join(freshFolder(), 'views');
		const { load, save } = createViewFiles(folder);
		expect(await load('opencode:a')).toBeUndefined();
		await save('opencode:a', '{"held":1}', []);
		await save('opencode:a', '{"held":2}', []);
		expect(await load('opencode:a')).toBe('{"held":2}');
		expect(await load('opencode:b')).toBeUndefined();
		const [name = '', ...others] = await readdir(folder);
		expect(others).toEqual([]);
		if (process.platform !== 'win32') {
			expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
			expect((await stat(folder)).mode & 0o777).toBe(0o700);
		}
	});

	it('a damaged view counts as absent', async () => {
		const folder = freshFolder();
		const { load, save } = createViewFiles(folder);
		await save('pi:a', '{"held":1}', []);
		const path = join(folder, (await readdir(folder))[0] ?? '');
		await writeFile(path, (await readFile(path, 'utf8')).replace('1', '2'));
		expect(await load('pi:a')).toBeUndefined();
	});
});
