/** Converts the editor's configuration to the daemon's settings, without settings that the user did not set. */

/** Sections of `contextd.*` that only the extension uses. */
const extensionSections = ['statusBar', 'languageModel', 'session', 'trace', 'followTranscripts', 'notifyAt'];

/** Values of a key that the user set for all windows, for the workspace, and for one of its folders. */
export interface InspectedKey {
	globalValue?: unknown;
	workspaceValue?: unknown;
	workspaceFolderValue?: unknown;
}

/** Reads the configuration under `contextd`; keys are given without this prefix. */
export interface ConfigurationReader {
	inspect(key: string): InspectedKey | undefined;
	get(key: string): unknown;
}

/** Returns the daemon's keys without `contextd.`, selected from all declared names (`contextd.compaction.enabled`, …). */
export function selectDaemonKeys(declaredNames: readonly string[]): string[] {
	return declaredNames
		.filter((name) => name.startsWith('contextd.'))
		.map((name) => name.slice('contextd.'.length))
		.filter((key) => !extensionSections.includes(key.split('.')[0] ?? ''));
}

function isSet({ globalValue, workspaceValue, workspaceFolderValue }: InspectedKey = {}): boolean {
	return [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined);
}

/** Returns the settings that the user has set, nested as the daemon expects them. */
export function collectSettings(
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

/** Returns whether transcripts are followed: an untrusted workspace may turn following off, but not on. */
export function shouldFollowTranscripts(
	{ globalValue, workspaceValue, workspaceFolderValue }: InspectedKey = {},
	isTrusted: boolean,
): boolean {
	if (isTrusted) return (workspaceFolderValue ?? workspaceValue ?? globalValue ?? true) === true;
	return [globalValue, workspaceValue, workspaceFolderValue].every((value) => value !== false);
}
