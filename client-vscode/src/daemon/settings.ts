/** The editor's configuration as settings of the daemon: only what the user set. */

/** Sections of `contextd.*` that only the extension uses. */
const ownSections = ['statusBar', 'languageModel', 'session', 'trace', 'followTranscripts', 'notifyAt'];

/** The used members of VS Code's `inspect` result. */
export interface InspectedKey {
	globalValue?: unknown;
	workspaceValue?: unknown;
	workspaceFolderValue?: unknown;
}

/** Reads configuration under `contextd`, without that prefix. */
export interface ConfigurationReader {
	inspect(key: string): InspectedKey | undefined;
	get(key: string): unknown;
}

/** Returns the daemon's keys among all declared ones (`contextd.compaction.enabled`, …). */
export function daemonKeys(declared: readonly string[]): string[] {
	return declared
		.filter((name) => name.startsWith('contextd.'))
		.map((name) => name.slice('contextd.'.length))
		.filter((key) => !ownSections.includes(key.split('.')[0] ?? ''));
}

function isSet(inspected: InspectedKey | undefined): boolean {
	return (
		inspected?.globalValue !== undefined ||
		inspected?.workspaceValue !== undefined ||
		inspected?.workspaceFolderValue !== undefined
	);
}

/** Returns the settings to send, nested as the daemon expects them, without keys that are not set. */
export function settingsOf(
	configuration: ConfigurationReader,
	keys: readonly string[],
): Record<string, unknown> {
	const settings: Record<string, unknown> = {};
	for (const key of keys) {
		if (!isSet(configuration.inspect(key))) continue;
		const [section = '', name] = key.split('.');
		const value = configuration.get(key);
		if (name === undefined) settings[section] = value;
		else settings[section] = { ...(settings[section] as Record<string, unknown> | undefined), [name]: value };
	}
	return settings;
}

/** Returns whether transcripts are followed: an untrusted workspace may turn that off, but not on. */
export function shouldFollowTranscripts(
	{ globalValue, workspaceValue, workspaceFolderValue }: InspectedKey = {},
	isTrusted: boolean,
): boolean {
	if (isTrusted) return (workspaceFolderValue ?? workspaceValue ?? globalValue ?? true) === true;
	return [globalValue, workspaceValue, workspaceFolderValue].every((value) => value !== false);
}
