import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import type { AgentName } from '../../../server/front/install/command.ts';
import { runInstall } from '../../../server/front/install/installable.ts';
import type { Machine } from '../../../server/front/install/parts/agent.ts';
import { removeFolders } from '../../support/app.ts';
import { pluginHome } from './pluginHome.ts';

afterEach(removeFolders);

function run(name: 'install' | 'uninstall', agent: AgentName, where: Machine): Promise<void> {
	const stdout = new PassThrough().resume();
	return runInstall({ name, agent }, where, {
		stdout,
		stderr: stdout,
		env: {},
		settingsFiles: async () => [],
	} as unknown as Parameters<typeof runInstall>[2]);
}

it('uninstalling from the last agent removes every installed file, and from an earlier one none of the shared files', async () => {
	const where = await pluginHome();
	await run('install', 'opencode', where);
	await run('install', 'pi', where);
	await run('uninstall', 'opencode', where);
	expect(existsSync(join(where.stateFolder, 'programs/1.2.3/contextd.cjs'))).toBe(true);
	expect(existsSync(join(where.stateFolder, 'agents/settings.json'))).toBe(true);
	await run('uninstall', 'pi', where);
	const left = await readdir(where.home, { recursive: true, withFileTypes: true });
	const files = left.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
	expect(files.filter((file) => !file.startsWith(where.packageFolder))).toEqual([]);
});

it('uninstalling leaves settings that the user wrote', async () => {
	const where = await pluginHome();
	await run('install', 'pi', where);
	const settings = join(where.stateFolder, 'agents/settings.json');
	await writeFile(settings, '{"agents":{"toolResultTokens":0}}');
	await run('uninstall', 'pi', where);
	expect(await readFile(settings, 'utf8')).toBe('{"agents":{"toolResultTokens":0}}');
	expect(existsSync(join(where.stateFolder, 'programs'))).toBe(false);
});
