/**
 * The process of `contextd --stdio`, which forwards its client's messages to the daemon.
 *
 * It loads little code, because every client has such a process. If no daemon can be used, it serves its client
 * itself.
 */

import { join } from 'node:path';
import { errorText } from '../core/failure.ts';
import { parseFlags } from '../core/settings/flags.ts';
import { LocationRefusedError } from '../node/ownFolder.ts';
import { FolderInUseError } from '../relay/connectDaemon.ts';
import type { InitializeResponder } from '../relay/conversation.ts';
import { peekFirstMessage } from '../relay/firstMessage.ts';
import { prepareIntroduction } from '../relay/introduction.ts';
import { parseMessageParams } from '../relay/messages.ts';
import { relay } from '../relay/relay.ts';
import { listenForEndSignals } from './endSignals.ts';

declare const contextdVersion: string;

const argv = process.argv.slice(2);

/** Exit code if the file of `--settings-from` cannot be used. */
const refusedCode = 2;

/** Loads the function that answers `initialize` as the daemon does. */
async function loadInitializeResponder(): Promise<InitializeResponder> {
	const { createInitializeResult, isCertainlyAccepted } = await import('../rpc/initializeResult.ts');
	return (params) => (isCertainlyAccepted(params) ? createInitializeResult(contextdVersion) : undefined);
}

/** Serves the client in this process, without a daemon. */
async function serveAlone(): Promise<void> {
	process.argv.push('--isolated');
	await import('./main.ts');
}

function warn(message: string): void {
	process.stderr.write(`contextd: ${message}\n`);
}

/** Serves the client. Resolves with the exit code; undefined if this process serves it without a daemon and exits later. */
async function run(): Promise<number | undefined> {
	let buildIntroduction: Awaited<ReturnType<typeof prepareIntroduction>>;
	try {
		buildIntroduction = await prepareIntroduction({
			program: [process.execPath, join(__dirname, 'contextd.cjs')],
			version: contextdVersion,
			flags: argv,
			cwd: process.cwd(),
			environment: process.env,
		});
	} catch (error) {
		warn(errorText(error));
		return refusedCode;
	}
	if (process.stdin.isTTY) warn('waiting for JSON-RPC on the standard input; see contextd --help');
	const { body, input } = await peekFirstMessage(process.stdin, parseFlags(argv).framing);
	const { initializationOptions } = body === undefined ? {} : parseMessageParams(body);
	const { isOnDisk, ...introduction } = buildIntroduction(initializationOptions);
	if (!isOnDisk) return void (await serveAlone());
	const { exitCode, stop } = relay({
		input,
		output: process.stdout,
		errors: process.stderr,
		loadInitializeResponder,
		...introduction,
	});
	const leaveSignals = listenForEndSignals(stop);
	try {
		return await exitCode;
	} catch (error) {
		if (!(error instanceof LocationRefusedError || error instanceof FolderInUseError)) throw error;
		leaveSignals();
		warn(`${error.message}; this process serves its client without the daemon`);
		return void (await serveAlone());
	}
}

run().then(
	(code) => {
		if (code !== undefined) process.exit(code);
	},
	(error) => {
		warn(String(error instanceof Error ? error.stack : error));
		process.exit(1);
	},
);
