import { join, posix, resolve, win32 } from 'node:path';
import type { Environment } from '../core/shape.ts';

/**
 * Returns the default state folder, in which contextd stores all data.
 *
 * The folder is `$CONTEXTD_HOME`, else `$XDG_STATE_HOME/contextd`, else the platform's usual folder. An empty variable is
 * ignored, and so is a relative `XDG_STATE_HOME`, as the XDG base directory specification requires.
 */
export function getDefaultStateFolder(env: Environment, platform: NodeJS.Platform, home: string): string {
	const path = platform === 'win32' ? win32 : posix;
	if (env.CONTEXTD_HOME) return path.resolve(env.CONTEXTD_HOME);
	if (env.XDG_STATE_HOME && path.isAbsolute(env.XDG_STATE_HOME))
		return path.join(env.XDG_STATE_HOME, 'contextd');
	if (platform === 'win32')
		return path.join(env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'contextd');
	if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'contextd');
	return path.join(home, '.local', 'state', 'contextd');
}

/** Returns the folder within the state folder where Node caches compiled code. */
export function getCompileCacheFolder(stateFolder: string): string {
	return join(stateFolder, 'compile-cache');
}

/** The part of a client's environment that determines its state folder and its settings files. */
export interface ClientMachine {
	environment: Environment;
	platform: NodeJS.Platform;
	home: string;
	/** Base of relative paths; by default the working folder of this process. */
	cwd?: string;
}

/** Returns the state folder of a client; `directory` is its setting `storage.directory`. */
export function chooseStateFolder(
	{ environment, platform, home, cwd = '' }: ClientMachine,
	directory: string,
): string {
	return directory === '' ? getDefaultStateFolder(environment, platform, home) : resolve(cwd, directory);
}
