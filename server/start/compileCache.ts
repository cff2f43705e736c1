/**
 * Lets Node cache the program's compiled code (22.1 and later), which makes the next start faster.
 *
 * V8 trusts the cached code. So the cache is in the state folder, where only the user can write, and not in the
 * folder for temporary files, which is Node's default.
 */

import { statSync } from 'node:fs';
import module from 'node:module';
import { homedir, userInfo } from 'node:os';
import { getCompileCacheFolder, getDefaultStateFolder } from '../node/stateFolder.ts';

/**
 * Enables the cache if a state folder exists and the user allows contextd to write to disk. A problem with the cache
 * never affects the program.
 * @param args command line without the program and its file
 */
export function enableCompileCache(args: readonly string[]): void {
	const { enableCompileCache: enable } = module as { enableCompileCache?: (folder: string) => unknown };
	if (enable === undefined || process.env.CONTEXTD_MEMORY_ENABLED === 'false') return;
	try {
		const folder = findStateFolder(args);
		if (isPrivateFolder(folder)) enable(getCompileCacheFolder(folder));
	} catch {
		// Without the cache, the program starts as on older versions of Node.
	}
}

/**
 * Returns the state folder: for `contextd daemon` the value of `--storage`, otherwise the default one. With
 * `--settings-from`, the default does not depend on environment variables.
 */
function findStateFolder(args: readonly string[]): string {
	const index = args.indexOf('--storage');
	if (args[0] === 'daemon' && index > 0) return args[index + 1] ?? '';
	const isFixed = args.some((one) => one.startsWith('--settings-from'));
	return isFixed
		? getDefaultStateFolder({}, process.platform, userInfo().homedir)
		: getDefaultStateFolder(process.env, process.platform, homedir());
}

/** Returns whether a folder exists, belongs to this user, and cannot be changed by others. */
function isPrivateFolder(folder: string): boolean {
	const stats = statSync(folder);
	if (!stats.isDirectory()) return false;
	if (process.getuid === undefined) return true;
	return stats.uid === process.getuid() && (stats.mode & 0o022) === 0;
}
