/** The editor's configuration as the daemon's settings: only what the user set. */

/** Sections of `contextd.*` that concern the extension alone. */
const ownSections = ['statusBar', 'languageModel', 'session', 'trace', 'followTranscripts', 'notifyAt'];

/** What VS Code's `inspect` tells of a key, as far as it matters here. */
export interface Inspected {
	globalValue?: unknown;
	workspaceValue?: unknown;
	workspaceFolderValue?: unknown;
}

/** Reads configuration under `contextd`, without that prefix. */
export interface ConfigurationReader {
	inspect(key: string): Inspected | undefined;
	get(key: string): unknown;
}

/** The keys that are the daemon's, from the names of all declared ones (`contextd.compaction.enabled`, …). */
export function daemonKeys(declared: readonly string[]): string[] {
	return declared
		.filter((name) => name.startsWith('contextd.'))
		.map((name) => name.slice('contextd.'.length))
		.filter((key) => !ownSections.includes(key.split('.')[0] ?? ''));
}

function isSet(inspected: Inspected | undefined): boolean {
	return (
		inspected?.globalValue !== undefined ||
		inspected?.workspaceValue !== undefined ||
		inspected?.workspaceFolderValue !== undefined
	);
}

/** The settings to send, nested as the daemon takes them; keys that nobody set are left out. */
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

/** Whether transcripts are followed: a workspace that nobody trusts may turn that off, and never on. */
export function isFollowed(
	{ globalValue, workspaceValue, workspaceFolderValue }: Inspected = {},
	isTrusted: boolean,
): boolean {
	if (isTrusted) return (workspaceFolderValue ?? workspaceValue ?? globalValue ?? true) === true;
	return [globalValue, workspaceValue, workspaceFolderValue].every((value) => value !== false);
}
