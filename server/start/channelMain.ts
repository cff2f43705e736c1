/** The process of `contextd --http-socket`: connects a plugin to the user's daemon. */

import { join } from 'node:path';
import { openDaemonStreams } from '../client/daemonStreams.ts';
import { errorText } from '../core/failure.ts';
import { parseFlags } from '../core/settings/flags.ts';
import { SettingsFileRefusedError } from '../node/settings/settingsFile.ts';
import { listenForEndSignals } from './endSignals.ts';
import { serveChannelUntilEnd } from './serveUntilEnd.ts';

declare const contextdVersion: string;

/** Exit code if the file of `--settings-from` cannot be used. */
const refusedCode = 2;

const argv = process.argv.slice(2);
const { clientProcessId = process.ppid, httpSocket: socket = '' } = parseFlags(argv);
const version = contextdVersion;

serveChannelUntilEnd({
	socket,
	openDaemonStreams: () =>
		openDaemonStreams({
			program: [process.execPath, join(__dirname, 'contextd.cjs')],
			version,
			flags: argv,
			environment: process.env,
		}),
	clientProcessId,
	version,
	announcements: process.stdout,
	errors: process.stderr,
	onStart: listenForEndSignals,
}).then(
	(code) => process.exit(code),
	(error) => {
		process.stderr.write(`contextd: ${errorText(error)}\n`);
		process.exit(error instanceof SettingsFileRefusedError ? refusedCode : 1);
	},
);
