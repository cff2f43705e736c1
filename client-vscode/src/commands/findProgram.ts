/** Finds the program of an agent before a terminal is opened for it. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** Folders of the home folder where installers put programs without changing the editor's `PATH`. */
const installFolders = ['.local/bin', '.claude/local', 'bin'];

/** Returns whether a folder contains a program; on Windows, the name may have one of the endings. */
async function hasProgramIn(folder: string, name: string, endings: readonly string[]): Promise<boolean> {
	for (const ending of endings) {
		const isExecutable = await access(path.join(folder, name + ending), constants.X_OK).then(
			() => true,
			() => false,
		);
		if (isExecutable) return true;
	}
	return false;
}

/** Returns whether a program is in the editor's `PATH` or in a folder where installers usually put programs. */
export async function hasProgram(
	name: string,
	{ PATH = '', Path = PATH, PATHEXT = '.EXE;.CMD;.BAT' }: NodeJS.ProcessEnv = process.env,
	home: string = homedir(),
): Promise<boolean> {
	const endings = process.platform === 'win32' ? ['', ...PATHEXT.split(';')] : [''];
	const folders = [
		...Path.split(path.delimiter).filter((folder) => folder !== ''),
		...installFolders.map((folder) => path.join(home, folder)),
	];
	for (const folder of folders) if (await hasProgramIn(folder, name, endings)) return true;
	return false;
}
