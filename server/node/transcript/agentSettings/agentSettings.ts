import { join } from 'node:path';
import type { AgentSettings } from '../../../core/transcript/reading/limit.ts';
import type { SettingsSource } from '../../../core/transcript/reading/settings.ts';
import { type AgentEnvironment, foldersOf, readVariable } from '../discover/agentEnvironment.ts';
import { readTextNow } from '../openFile.ts';

/**
 * Reads an agent's own settings for its context, including those of its working folder.
 * Missing or unreadable files are skipped; the result is empty for an agent whose settings are unknown.
 */
export function readAgentSettings(
	source: SettingsSource | undefined,
	machine: AgentEnvironment,
	folder: string | undefined,
): AgentSettings {
	if (source === undefined) return { settings: {}, environment: {} };
	const texts = source.files.map((file) => {
		if (!('project' in file)) return readTextNow(foldersOf(file, machine)[0] ?? '');
		return folder === undefined ? '' : readTextNow(join(folder, ...file.project));
	});
	const { settings, environment } = source.read(texts);
	const variables = (source.variables ?? []).flatMap((name) => {
		const value = readVariable(machine, name);
		return value === undefined ? [] : [[name, value]];
	});
	return { settings, environment: { ...Object.fromEntries(variables), ...environment } };
}
