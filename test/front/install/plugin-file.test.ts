import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openCodePlugin, piPlugin } from '../../../server/front/install/pluginFile/pluginFile.ts';
import { removeFolders } from '../../support/app.ts';
import { pluginHome } from './pluginHome.ts';

afterEach(removeFolders);

describe.each([
	{ agent: openCodePlugin, file: '.config/opencode/plugin/contextd.js' },
	{ agent: piPlugin, file: '.pi/agent/extensions/contextd.js' },
])('contextd install $agent.name', ({ agent, file }) => {
	it('contextd install puts one file into the folder of the agent, which starts a copy of the program', async () => {
		const where = await pluginHome();
		await agent.install(where);
		const text = await readFile(join(where.home, file), 'utf8');
		const start = JSON.parse(JSON.parse(text.slice(text.indexOf('"'), text.lastIndexOf('"') + 1)));
		expect(start).toEqual({
			argv: [process.execPath, join(where.stateFolder, 'programs/1.2.3/contextd.cjs')],
			stateFolder: where.stateFolder,
			settings: join(where.stateFolder, 'agents/settings.json'),
		});
		expect(existsSync(start.argv[1])).toBe(true);
		expect(JSON.parse(await readFile(start.settings, 'utf8'))).toEqual({
			storage: { directory: where.stateFolder },
		});
		expect((await agent.check(where)).map(({ isSound }) => isSound)).toEqual([
			undefined,
			true,
			true,
			true,
			undefined,
			true,
		]);
	});

	it('contextd uninstall removes the file and the folders made for it, and keeps other files', async () => {
		const where = await pluginHome();
		await agent.install(where);
		await agent.install({ ...where, version: '1.2.4' });
		await agent.uninstall(where);
		expect(await readdir(where.home)).toEqual(['package', 'state']);
		const neighbour = join(where.home, dirname(file), 'mine.js');
		await mkdir(dirname(neighbour), { recursive: true });
		await writeFile(neighbour, '');
		await agent.install(where);
		await agent.uninstall(where);
		expect(await readdir(dirname(neighbour))).toEqual(['mine.js']);
		expect((await agent.check(where)).map(({ isSound }) => isSound)).toEqual([false]);
	});

	it.each(['install', 'uninstall'] as const)(
		'contextd %s waits until another installation is done',
		async (name) => {
			const where = await pluginHome();
			if (name === 'uninstall') await agent.install(where);
			const lock = join(where.stateFolder, 'agents', 'install.lock');
			await mkdir(dirname(lock), { recursive: true });
			await writeFile(lock, `${process.pid}\n`);
			let isDone = false;
			const work = agent[name](where).then(() => {
				isDone = true;
			});
			await setTimeout(300);
			expect(isDone).toBe(false);
			expect(existsSync(join(where.home, file))).toBe(name === 'uninstall');
			await rm(lock);
			await work;
			expect(existsSync(join(where.home, file))).toBe(name === 'install');
			expect(existsSync(lock)).toBe(false);
		},
	);

	it('contextd install and uninstall leave daemon settings alone that the user changed', async () => {
		const where = await pluginHome();
		const settings = join(where.stateFolder, 'agents/settings.json');
		await mkdir(dirname(settings), { recursive: true });
		await writeFile(settings, '{"agents":{"toolResultTokens":0}}');
		await agent.install(where);
		await agent.uninstall(where);
		expect(await readFile(settings, 'utf8')).toBe('{"agents":{"toolResultTokens":0}}');
	});

	it('contextd neither replaces nor removes a plugin file with foreign content', async () => {
		const where = await pluginHome();
		const path = join(where.home, file);
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, '// mine');
		await expect(agent.install(where)).rejects.toThrow('left unchanged');
		expect(await readFile(path, 'utf8')).toBe('// mine');
		await writeFile(path, '');
		const other = await pluginHome();
		await agent.install(other);
		await writeFile(join(other.home, file), '// changed');
		await expect(agent.uninstall(other)).rejects.toThrow('left unchanged');
		expect(await agent.check(other)).toContainEqual({
			isSound: false,
			text: expect.stringContaining('was changed'),
		});
	});
});

describe('the folder of an agent', () => {
	it("contextd installs into the folder that the agent's variable names", async () => {
		const where = await pluginHome();
		const env = {
			XDG_CONFIG_HOME: join(where.home, 'config'),
			PI_CODING_AGENT_DIR: join(where.home, 'agent'),
		};
		await openCodePlugin.install({ ...where, env });
		await piPlugin.install({ ...where, env });
		expect(existsSync(join(where.home, 'config/opencode/plugin/contextd.js'))).toBe(true);
		expect(existsSync(join(where.home, 'agent/extensions/contextd.js'))).toBe(true);
	});
});
