/**
 * The file that the command runs. It is written in what Node 12 can read, and brings in the program only where this
 * Node can read that too.
 */

import { nodeProblem } from './nodeVersion.ts';

/** The oldest Node that the program runs on, of package.json's `engines`. */
declare const contextdLeastNode: string;

/** Whether a client is served on the standard streams, by the daemon that all clients share. */
function usesDaemon(args: readonly string[]): boolean {
	return args.includes('--stdio') && !args.includes('--isolated');
}

const problem = nodeProblem(process.versions.node, contextdLeastNode);
if (problem === undefined) {
	const { enableCompileCache }: typeof import('./compileCache.ts') = require('./compileCache.ts');
	enableCompileCache(process.argv.slice(2));
	// What prints one line many times a minute must not wait for the rest to load.
	const [, , command] = process.argv;
	if (command === 'statusline') require('./statusline.cjs');
	else if (command === 'status') require('./status.cjs');
	else if (command === 'hook') require('./hook.cjs');
	else if (process.argv.some((one) => one.startsWith('--http-socket'))) void import('./channelMain.ts');
	else if (usesDaemon(process.argv.slice(2))) void import('./proxy.ts');
	else void import('./main.ts');
} else {
	process.stderr.write(`${problem}\n`);
	process.exitCode = 1;
}
