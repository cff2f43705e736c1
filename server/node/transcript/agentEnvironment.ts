/** Reads what a machine's environment says about agents: their folders, variables and settings. */

import { join } from 'node:path';
import type {
	AgentSettings,
	EditorLocation,
	FolderLocation,
	SettingsSource,
} from '../../core/transcript/index.ts';
import { readTextNow } from './openFile.ts';

/** The part of a machine's environment that determines where agents store files. */
export interface AgentEnvironment {
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	platform: NodeJS.Platform;
}

/** Returns the value of a variable; undefined if it is empty or not set. */
export function readVariable({ environment }: AgentEnvironment, variable: string): string | undefined {
	const value = environment[variable];
	return value === '' ? undefined : value;
}

/** Names of the folders of VS Code and editors derived from it. */
const editorFolders = ['Code', 'Code - Insiders', 'Cursor', 'VSCodium', 'Windsurf'];
const remoteFolders = ['.vscode-server', '.vscode-server-insiders', '.cursor-server', '.windsurf-server'];

/** Returns the folders with the user data of editors. */
function listEditorUserFolders(machine: AgentEnvironment): string[] {
	const { home, platform } = machine;
	const local =
		platform === 'darwin'
			? join(home, 'Library', 'Application Support')
			: platform === 'win32'
				? (readVariable(machine, 'APPDATA') ?? join(home, 'AppData', 'Roaming'))
				: (readVariable(machine, 'XDG_CONFIG_HOME') ?? join(home, '.config'));
	return [
		...editorFolders.map((editor) => join(local, editor, 'User')),
		...remoteFolders.map((editor) => join(home, editor, 'data', 'User')),
	];
}

/** Returns the folders that a location means on this machine, whether they exist or not. */
export function resolveFolders(
	location: FolderLocation | EditorLocation,
	machine: AgentEnvironment,
): string[] {
	if ('belowUserFolder' in location)
		return listEditorUserFolders(machine).map((user) => join(user, ...location.belowUserFolder));
	for (const { variable, below } of location) {
		const base = variable === undefined ? machine.home : readVariable(machine, variable);
		if (base !== undefined) return [join(base, ...below)];
	}
	return [];
}

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
