/**
 * Node keeps the code that V8 compiled of the program (22.1 and later), which makes the next start faster. V8 trusts that
 * code, so it is kept in the state folder, which belongs to the user alone, and not in the folder for temporary files,
 * where Node would put it.
 */

import { statSync } from 'node:fs';
import module from 'node:module';
import { homedir, userInfo } from 'node:os';
import { compileCacheFolder, stateDirectory } from './node/stateDirectory.ts';

/** Since Node 22.1. */
type EnableCompileCache = (folder: string) => unknown;

/**
 * Turns the cache on, if there is a state folder already, and if the user does not keep contextd from writing to disk. A
 * problem with the cache never matters to the program.
 * @param args without the program and its file
 */
export function enableCompileCache(args: readonly string[]): void {
	const { enableCompileCache: enable } = module as { enableCompileCache?: EnableCompileCache };
	if (enable === undefined || process.env.CONTEXTD_MEMORY_ENABLED === 'false') return;
	try {
		const folder = stateFolder(args);
		if (isPrivate(folder)) enable(compileCacheFolder(folder));
	} catch {
		// Without the cache the program starts as it does on older versions of Node.
	}
}

/** The daemon is given its folder. With `--settings-from`, no variable of the environment may name the folder. */
function stateFolder(args: readonly string[]): string {
	const storage = args.indexOf('--storage');
	if (args[0] === 'daemon' && storage > 0) return args[storage + 1] ?? '';
	const isFixed = args.some((one) => one.startsWith('--settings-from'));
	return isFixed
		? stateDirectory({}, process.platform, userInfo().homedir)
		: stateDirectory(process.env, process.platform, homedir());
}

/** Whether a folder exists, belongs to this user, and nobody else may write to it. */
function isPrivate(folder: string): boolean {
	const found = statSync(folder);
	if (!found.isDirectory()) return false;
	if (process.getuid === undefined) return true;
	return found.uid === process.getuid() && (found.mode & 0o022) === 0;
}
