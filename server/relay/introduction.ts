/** Builds the hello that introduces a client to its daemon, and finds that daemon's state folder. */

import { homedir, userInfo } from 'node:os';
import { selectDocumentedVariables } from '../core/settings/documentedVariables.ts';
import { createEnvironmentLayer } from '../core/settings/environment.ts';
import { parseFlags } from '../core/settings/flags.ts';
import { unwrapSettings } from '../core/settings/settingsKey.ts';
import type { Environment } from '../core/shape.ts';
import { asFields } from '../core/values.ts';
import { readUserSettings } from '../node/settings/findSettings.ts';
import { readSettingsFile, type SettingsFile } from '../node/settings/settingsFile.ts';
import type { Framing } from '../protocol/capabilities.ts';
import { type Hello, helloProtocol } from '../protocol/hello.ts';
import { findStorageLocation, type StorageLocation } from './storageLocation.ts';

/** The program that a client runs, which can also start a daemon. */
export interface ClientProgram {
	/** Command line that starts contextd, beginning with the program. */
	program: readonly string[];
	version: string;
	/** The client's arguments, such as `--settings-from`. */
	flags: readonly string[];
	/** The folder that the client works in. */
	cwd: string;
	environment: NodeJS.ProcessEnv;
}

/** A client's hello, its framing, and where its sessions are stored. */
export interface Introduction extends StorageLocation {
	hello: Hello;
	framing: Framing;
}

/**
 * Reads the files and variables that determine a client's settings; ignores the variables if there is
 * `--settings-from`. Resolves with a function that builds the introduction once the client's `initializationOptions`
 * are known.
 * @throws SettingsFileRefusedError
 */
export async function prepareIntroduction(
	client: ClientProgram,
): Promise<(settings: unknown) => Introduction> {
	const { layer, framing, settingsFrom } = parseFlags(client.flags);
	const settingsFile: SettingsFile | undefined =
		settingsFrom === undefined ? undefined : await readSettingsFile(settingsFrom);
	const environment = settingsFile ? {} : client.environment;
	const home = settingsFile ? userInfo().homedir : homedir();
	const { platform, pid } = process;
	// The daemon reads the file again, checks it and reports its problems.
	const userFile = settingsFile ? undefined : await readUserSettings({ environment, platform, home });
	const userSettings = unwrapSettings(userFile?.value);
	return (initializationOptions) => {
		const settings = unwrapSettings(initializationOptions);
		const hello: Hello = {
			protocol: helloProtocol,
			version: client.version,
			program: [...client.program],
			pid,
			cwd: client.cwd,
			platform,
			home,
			environment: selectVariables(environment, [userSettings, settings]),
			flags: [...client.flags],
			...(settingsFile && { settingsFile }),
		};
		// The file of `--settings-from` replaces all other settings.
		const layers = settingsFile
			? [settingsFile.value]
			: [userSettings, createEnvironmentLayer(environment), layer, settings];
		const storage = findStorageLocation({ environment, platform, home, cwd: client.cwd }, layers);
		return { hello, framing, ...storage };
	};
}

/**
 * Returns the variables to send to the daemon: the documented ones, keys, and those that the client's settings refer
 * to as `{ env: NAME }`.
 */
function selectVariables(environment: Environment, layers: readonly unknown[]): Record<string, string> {
	const sentVariables = selectDocumentedVariables(environment);
	for (const name of layers.flatMap(listKeyVariables)) {
		const value = environment[name];
		if (value !== undefined) sentVariables[name] = value;
	}
	return sentVariables;
}

/** Returns the environment variables that the settings name for the keys of their summarization chain. */
function listKeyVariables(settings: unknown): string[] {
	const chain = asFields(asFields(settings).summarization).chain;
	if (!Array.isArray(chain)) return [];
	return chain.flatMap((link) => {
		const { env } = asFields(asFields(link).apiKey);
		return typeof env === 'string' ? [env] : [];
	});
}
