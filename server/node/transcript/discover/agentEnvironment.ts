import { join } from 'node:path';
import type { EditorPlace, FolderPlace } from '../../../core/transcript/reading/home.ts';

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
function editorUsers(around: AgentEnvironment): string[] {
	const { home, platform } = around;
	const local =
		platform === 'darwin'
			? join(home, 'Library', 'Application Support')
			: platform === 'win32'
				? (readVariable(around, 'APPDATA') ?? join(home, 'AppData', 'Roaming'))
				: (readVariable(around, 'XDG_CONFIG_HOME') ?? join(home, '.config'));
	return [
		...editors.map((editor) => join(local, editor, 'User')),
		...remoteEditors.map((editor) => join(home, editor, 'data', 'User')),
	];
}

/** The folders of a location on this machine, existing or not. */
export function foldersOf(place: FolderPlace | EditorPlace, around: AgentEnvironment): string[] {
	if ('editorUser' in place) return editorUsers(around).map((user) => join(user, ...place.editorUser));
	for (const { variable, below } of place) {
		const base = variable === undefined ? around.home : readVariable(around, variable);
		if (base !== undefined) return [join(base, ...below)];
	}
	return [];
}
