import { join } from 'node:path';
import type { AgentSettings } from '../../../core/transcript/reading/limit.ts';
import type { SettingsSource } from '../../../core/transcript/reading/settings.ts';
import { foldersOf, named, type Surroundings } from '../discover/surroundings.ts';
import { textNow } from '../openFile.ts';

/**
 * What an agent's own settings say of its context, those of the folder it works in as well. Files that are not there
 * or may not be read say nothing; nor does an agent whose settings are not known.
 */
export function readAgentSettings(
	source: SettingsSource | undefined,
	around: Surroundings,
	folder: string | undefined,
): AgentSettings {
	if (source === undefined) return { settings: {}, environment: {} };
	const texts = source.files.map((file) => {
		if (!('project' in file)) return textNow(foldersOf(file, around)[0] ?? '');
		return folder === undefined ? '' : textNow(join(folder, ...file.project));
	});
	const { settings, environment } = source.read(texts);
	const variables = (source.variables ?? []).flatMap((name) => {
		const value = named(around, name);
		return value === undefined ? [] : [[name, value]];
	});
	return { settings, environment: { ...Object.fromEntries(variables), ...environment } };
}
