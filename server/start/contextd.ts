/**
 * The file of the `contextd` command.
 *
 * Node 12 can run this file. It loads the program only if this version of Node is new enough.
 */

import { describeNodeProblem } from './nodeVersion.ts';

/** The oldest Node that the program runs on, from package.json's `engines`. */
declare const contextdMinNode: string;

/** Returns whether to serve a client on the standard streams, through the daemon that all clients share. */
function shouldUseDaemon(args: readonly string[]): boolean {
	return args.includes('--stdio') && !args.includes('--isolated');
}

const versionProblem = describeNodeProblem(process.versions.node, contextdMinNode);
if (versionProblem === undefined) {
	const { enableCompileCache }: typeof import('./compileCache.ts') = require('./compileCache.ts');
	enableCompileCache(process.argv.slice(2));
	// Status lines run many times a minute and must not wait for other code to load.
	const [, , command] = process.argv;
	if (command === 'statusline') require('./statusline.cjs');
	else if (command === 'status') require('./status.cjs');
	else if (command === 'hook') require('./hook.cjs');
	else if (process.argv.some((one) => one.startsWith('--http-socket'))) void import('./channelMain.ts');
	else if (shouldUseDaemon(process.argv.slice(2))) void import('./proxy.ts');
	else void import('./main.ts');
} else {
	process.stderr.write(`${versionProblem}\n`);
	process.exitCode = 1;
}
