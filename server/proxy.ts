/**
 * `contextd --stdio` as a process: forwards its client's messages to the daemon. It loads little, since one runs for every
 * client. If no daemon can be used, the process serves its client itself.
 */

import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { errorText } from './core/failure.ts';
import { parseFlags } from './core/settings/flags.ts';
import { PlaceRefused } from './node/ownFolder.ts';
import { type Hello, helloProtocol } from './protocol/hello.ts';
import { clientEnvironment } from './relay/clientEnvironment.ts';
import { FolderInUse } from './relay/connectDaemon.ts';
import { peekFirstMessage } from './relay/firstMessage.ts';
import { paramsOf } from './relay/messages.ts';
import { relay } from './relay/relay.ts';
import { storagePlace } from './relay/storagePlace.ts';
import { readSettingsFile, type SettingsFile } from './settingsFile.ts';

declare const contextdVersion: string;

const argv = process.argv.slice(2);

/** The exit code if the file of `--settings-from` cannot be used. */
const refusedCode = 2;

/** What the client's process knows that its settings depend on. */
interface Surroundings {
	environment: Readonly<Record<string, string | undefined>>;
	home: string;
	settingsFile?: SettingsFile;
}

/** With `--settings-from`, no variable of the environment counts. */
async function surroundings(path: string | undefined): Promise<Surroundings> {
	if (path === undefined) return { environment: process.env, home: homedir() };
	return { environment: {}, home: userInfo().homedir, settingsFile: await readSettingsFile(path) };
}

function helloOf({ environment, home, settingsFile }: Surroundings, settings: unknown): Hello {
	return {
		protocol: helloProtocol,
		version: contextdVersion,
		program: [process.execPath, join(__dirname, 'contextd.cjs')],
		pid: process.pid,
		cwd: process.cwd(),
		platform: process.platform,
		home,
		environment: clientEnvironment(environment, settings),
		flags: argv,
		...(settingsFile && { settingsFile }),
	};
}

/** Serves the client in this process. */
async function serveAlone(): Promise<void> {
	process.argv.push('--isolated');
	await import('./main.ts');
}

function warn(message: string): void {
	process.stderr.write(`contextd: ${message}\n`);
}

/** Resolves with the exit code; undefined if the process serves its client itself. */
async function run(): Promise<number | undefined> {
	const flags = parseFlags(argv);
	let known: Surroundings;
	try {
		known = await surroundings(flags.settingsFrom);
	} catch (error) {
		warn(errorText(error));
		return refusedCode;
	}
	if (process.stdin.isTTY) warn('waiting for JSON-RPC on the standard input; see contextd --help');
	const { body, input } = await peekFirstMessage(process.stdin, flags.framing);
	const { initializationOptions } = body === undefined ? {} : paramsOf(body);
	const { environment, home, settingsFile } = known;
	const stateFolder = storagePlace({
		environment,
		platform: process.platform,
		home,
		flags: flags.layer,
		...(settingsFile && { fixed: settingsFile.value }),
		initializationOptions,
	});
	if (stateFolder === undefined) return void (await serveAlone());
	const { exitCode, stop } = relay({
		input,
		output: process.stdout,
		errors: process.stderr,
		hello: helloOf(known, initializationOptions),
		stateFolder,
		framing: flags.framing,
	});
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
	for (const signal of signals) process.on(signal, stop);
	try {
		return await exitCode;
	} catch (error) {
		if (!(error instanceof PlaceRefused || error instanceof FolderInUse)) throw error;
		for (const signal of signals) process.off(signal, stop);
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
