/** The agents that load a plugin from one file. */

import { isAbsolute, join } from 'node:path';
import type { InstallPlace } from '../parts/agent.ts';
import { installableFile } from './pluginFile.ts';

function openCodeFolder({ env, home }: InstallPlace): string {
	const { XDG_CONFIG_HOME: config } = env;
	return join(config && isAbsolute(config) ? config : join(home, '.config'), 'opencode', 'plugin');
}

function piFolder({ env, home }: InstallPlace): string {
	const { PI_CODING_AGENT_DIR: folder } = env;
	return join(folder && isAbsolute(folder) ? folder : join(home, '.pi', 'agent'), 'extensions');
}

/** OpenCode loads every file of its folder for plugins. */
export const openCode = installableFile({ name: 'opencode', title: 'OpenCode', folder: openCodeFolder });

/** pi loads every file of its folder for extensions. */
export const pi = installableFile({ name: 'pi', title: 'pi', folder: piFolder });
