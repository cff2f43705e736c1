import { join, posix, resolve, win32 } from 'node:path';

/**
 * The folder that holds all that outlives the daemon: `$CONTEXTD_HOME`, else `$XDG_STATE_HOME/contextd`, else
 * the platform's own place. An empty variable counts as absent, and so does a relative `XDG_STATE_HOME`, as
 * the XDG base directory specification asks.
 */
export function stateDirectory(
	env: Readonly<Record<string, string | undefined>>,
	platform: NodeJS.Platform,
	home: string,
): string {
	const path = platform === 'win32' ? win32 : posix;
	if (env.CONTEXTD_HOME) return path.resolve(env.CONTEXTD_HOME);
	if (env.XDG_STATE_HOME && path.isAbsolute(env.XDG_STATE_HOME)) {
		return path.join(env.XDG_STATE_HOME, 'contextd');
	}
	if (platform === 'win32') {
		return path.join(env.LOCALAPPDATA || path.join(home, 'AppData', 'Local'), 'contextd');
	}
	if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'contextd');
	return path.join(home, '.local', 'state', 'contextd');
}

/** The folder in the state folder where Node caches the program as V8 compiled it. */
export function compileCacheFolder(stateFolder: string): string {
	return join(stateFolder, 'compile-cache');
}

/** What the state folder of a client depends on, next to its settings. */
export interface ClientPlace {
	environment: Readonly<Record<string, string | undefined>>;
	platform: NodeJS.Platform;
	home: string;
	/** Where relative paths begin; by default in the working folder of this process. */
	cwd?: string;
}

/** Returns the state folder of a client for its setting `storage.directory`. */
export function stateFolderFor(
	{ environment, platform, home, cwd = '' }: ClientPlace,
	directory: string,
): string {
	return directory === '' ? stateDirectory(environment, platform, home) : resolve(cwd, directory);
}
