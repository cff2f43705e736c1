import { join } from 'node:path';
import type { EditorLocation, FolderLocation } from '../../../core/transcript/reading/locations.ts';

/** Environment, home and platform that determine where agents store files. */
export interface AgentEnvironment {
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	platform: NodeJS.Platform;
}

/** The value of a variable; undefined if it is empty or not set. */
export function readVariable({ environment }: AgentEnvironment, variable: string): string | undefined {
	const value = environment[variable];
	return value === '' ? undefined : value;
}

/** Folder names of VS Code and editors derived from it. */
const editors = ['Code', 'Code - Insiders', 'Cursor', 'VSCodium', 'Windsurf'];
const remoteEditors = ['.vscode-server', '.vscode-server-insiders', '.cursor-server', '.windsurf-server'];

/** The folders with the user data of editors. */
function editorUsers(machine: AgentEnvironment): string[] {
	const { home, platform } = machine;
	const local =
		platform === 'darwin'
			? join(home, 'Library', 'Application Support')
			: platform === 'win32'
				? (readVariable(machine, 'APPDATA') ?? join(home, 'AppData', 'Roaming'))
				: (readVariable(machine, 'XDG_CONFIG_HOME') ?? join(home, '.config'));
	return [
		...editors.map((editor) => join(local, editor, 'User')),
		...remoteEditors.map((editor) => join(home, editor, 'data', 'User')),
	];
}

/** The folders of a location on this machine, existing or not. */
export function foldersOf(place: FolderLocation | EditorLocation, machine: AgentEnvironment): string[] {
	if ('editorUser' in place) return editorUsers(machine).map((user) => join(user, ...place.editorUser));
	for (const { variable, below } of place) {
		const base = variable === undefined ? machine.home : readVariable(machine, variable);
		if (base !== undefined) return [join(base, ...below)];
	}
	return [];
}
