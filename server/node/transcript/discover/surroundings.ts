import { join } from 'node:path';
import type { EditorPlace, Place } from '../../../core/transcript/reading/home.ts';

/** Where agents keep their files; all of it given, so that nothing is looked up behind the caller's back. */
export interface Surroundings {
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	platform: NodeJS.Platform;
}

/** What a variable says; undefined where it is empty or not set. */
export function named({ environment }: Surroundings, variable: string): string | undefined {
	const value = environment[variable];
	return value === '' ? undefined : value;
}

/** VS Code and the editors made from it, by the names of their folders. */
const editors = ['Code', 'Code - Insiders', 'Cursor', 'VSCodium', 'Windsurf'];
const remoteEditors = ['.vscode-server', '.vscode-server-insiders', '.cursor-server', '.windsurf-server'];

/** The folders in which editors keep what belongs to their user. */
function editorUsers(around: Surroundings): string[] {
	const { home, platform } = around;
	const local =
		platform === 'darwin'
			? join(home, 'Library', 'Application Support')
			: platform === 'win32'
				? (named(around, 'APPDATA') ?? join(home, 'AppData', 'Roaming'))
				: (named(around, 'XDG_CONFIG_HOME') ?? join(home, '.config'));
	return [
		...editors.map((editor) => join(local, editor, 'User')),
		...remoteEditors.map((editor) => join(home, editor, 'data', 'User')),
	];
}

/** The folders that a place means on this machine, existing or not. */
export function foldersOf(place: Place | EditorPlace, around: Surroundings): string[] {
	if ('editorUser' in place) return editorUsers(around).map((user) => join(user, ...place.editorUser));
	for (const { variable, below } of place) {
		const base = variable === undefined ? around.home : named(around, variable);
		if (base !== undefined) return [join(base, ...below)];
	}
	return [];
}
