import { join } from 'node:path';
import type { AgentSettings, SettingsSource } from '../../core/transcript/index.ts';
import { type AgentEnvironment, readVariable, resolveFolders } from './agentEnvironment.ts';
import { readTextNow } from './openFile.ts';

/**
 * Reads the settings of an agent that concern its context, including those in its working folder. Skips missing or unreadable
 * files; returns empty settings for an agent whose settings are unknown.
 */
export function readAgentSettings(
	source: SettingsSource | undefined,
	machine: AgentEnvironment,
	folder: string | undefined,
): AgentSettings {
	if (source === undefined) return { settings: {}, environment: {} };
	const texts = source.files.map((file) => {
		if (!('project' in file)) return readTextNow(resolveFolders(file, machine)[0] ?? '');
		return folder === undefined ? '' : readTextNow(join(folder, ...file.project));
	});
	const { settings, environment } = source.read(texts);
	const variables = (source.variables ?? []).flatMap((name) => {
		const value = readVariable(machine, name);
		return value === undefined ? [] : [[name, value]];
	});
	return { settings, environment: { ...Object.fromEntries(variables), ...environment } };
}
