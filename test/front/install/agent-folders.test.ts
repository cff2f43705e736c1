import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Machine } from '../../../server/front/install/parts/agent.ts';
import { openCodePlugin, piPlugin } from '../../../server/front/install/pluginFile/pluginFile.ts';
import { findAgentFolders } from '../../../server/start/agentFolders.ts';
import { removeFolders } from '../../support/app.ts';
import { pluginHome } from './pluginHome.ts';

afterEach(removeFolders);

const foldersOf = ({ stateFolder, home }: Machine) =>
	findAgentFolders({ path: '', value: { storage: { directory: stateFolder } } }, process.platform, home);

it('agentFolders returns the folders of settings that the agents had when contextd was installed', async () => {
	const where = await pluginHome();
	expect(await foldersOf(where)).toEqual({});
	const env = {
		XDG_CONFIG_HOME: join(where.home, 'config'),
		PI_CODING_AGENT_DIR: join(where.home, 'agent'),
	};
	await openCodePlugin.install({ ...where, env });
	await piPlugin.install({ ...where, env });
	expect(await foldersOf(where)).toEqual(env);
});

it('agentFolders leaves out usual folders, and agents with several folders', async () => {
	const where = await pluginHome();
	await openCodePlugin.install(where);
	await piPlugin.install({ ...where, env: { PI_CODING_AGENT_DIR: join(where.home, 'one') } });
	await piPlugin.install({ ...where, env: { PI_CODING_AGENT_DIR: join(where.home, 'two') } });
	expect(await foldersOf(where)).toEqual({});
});
