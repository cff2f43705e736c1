/** How a client is introduced to a daemon, and to which one. */

import { homedir, userInfo } from 'node:os';
import { environmentLayer } from '../core/settings/environment.ts';
import { parseFlags } from '../core/settings/flags.ts';
import { withoutKey } from '../core/settings/settingsKey.ts';
import { readUserSettings } from '../node/settings/findSettings.ts';
import { readSettingsFile, type SettingsFile } from '../node/settings/settingsFile.ts';
import type { Framing } from '../protocol/capabilities.ts';
import { type Hello, helloProtocol } from '../protocol/hello.ts';
import { clientEnvironment } from './clientEnvironment.ts';
import { type StoragePlace, storagePlace } from './storagePlace.ts';

/** The program that a client runs, which can also start a daemon. */
export interface ClientProgram {
	/** Command line that starts contextd, beginning with the program. */
	program: readonly string[];
	/** Its version. */
	version: string;
	/** The client's arguments, such as `--settings-from`. */
	flags: readonly string[];
	/** The folder that the client works in. */
	cwd: string;
	environment: NodeJS.ProcessEnv;
}

/** What a relay needs to know about a client, and where the client's sessions are stored. */
export interface Introduction extends StoragePlace {
	hello: Hello;
	framing: Framing;
}

/**
 * Reads what a client's settings depend on; with `--settings-from`, the environment is ignored. Resolves with a
 * function that introduces the client once its `initializationOptions` are known.
 * @throws SettingsFileRefused
 */
export async function readIntroduction(client: ClientProgram): Promise<(settings: unknown) => Introduction> {
	const { layer, framing, settingsFrom } = parseFlags(client.flags);
	const settingsFile: SettingsFile | undefined =
		settingsFrom === undefined ? undefined : await readSettingsFile(settingsFrom);
	const environment = settingsFile ? {} : client.environment;
	const home = settingsFile ? userInfo().homedir : homedir();
	const { platform, pid } = process;
	// The daemon reads the file again, checks it and reports its problems.
	const userFile = settingsFile ? undefined : await readUserSettings({ environment, platform, home });
	const userSettings = withoutKey(userFile?.value);
	return (initializationOptions) => {
		const settings = withoutKey(initializationOptions);
		const hello: Hello = {
			protocol: helloProtocol,
			version: client.version,
			program: [...client.program],
			pid,
			cwd: client.cwd,
			platform,
			home,
			environment: clientEnvironment(environment, [userSettings, settings]),
			flags: [...client.flags],
			...(settingsFile && { settingsFile }),
		};
		// A file replaces all other settings.
		const layers = settingsFile
			? [settingsFile.value]
			: [userSettings, environmentLayer(environment), layer, settings];
		const place = storagePlace({ environment, platform, home, cwd: client.cwd, layers });
		return { hello, framing, ...place };
	};
}
