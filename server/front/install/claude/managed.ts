/** What an organization, or the user, forbids of the plugin. */

import { isFields, parsedJson } from '../../../core/shape.ts';
import type { Finding } from '../parts/agent.ts';
import { bytesAt } from '../parts/replaceFile.ts';

/** Where an organization's own settings stand; others may come over the network, which nobody sees here. */
function managedFile(platform: NodeJS.Platform): string {
	switch (platform) {
		case 'darwin':
			return '/Library/Application Support/ClaudeCode/managed-settings.json';
		case 'win32':
			return 'C:\\Program Files\\ClaudeCode\\managed-settings.json';
		default:
			return '/etc/claude-code/managed-settings.json';
	}
}

/** The settings of an organization on this machine; none where there are none that can be read. */
export async function managedSettings(platform: NodeJS.Platform): Promise<object> {
	const bytes = await bytesAt(managedFile(platform)).catch(() => undefined);
	const values = bytes && parsedJson(bytes.toString('utf8'))?.value;
	return isFields(values) ? values : {};
}

/** Whether mods of a user's own are forbidden. */
export function forbidsMods(managed: object): boolean {
	const { pluginConfigs } = managed as { pluginConfigs?: unknown };
	const guard = isFields(pluginConfigs) ? pluginConfigs['cc-plugin-sec-default@builtin'] : undefined;
	return isFields(guard) && isFields(guard.options) && guard.options.allowManagedModsOnly === true;
}

/**
 * What is to be said of it; nothing where nothing is forbidden.
 * @param managed the settings of the organization
 * @param own those of the user
 */
export function forbiddenFindings(managed: object, own: object): Finding[] {
	if ('allowManagedHooksOnly' in managed && managed.allowManagedHooksOnly === true) {
		const text = 'your organization allows its own hooks alone: of the plugin nothing runs';
		return [{ isSound: false, text }];
	}
	if ([managed, own].some((values) => 'disableAllHooks' in values && values.disableAllHooks === true)) {
		const text = 'disableAllHooks is set in the settings: of the plugin nothing runs';
		return [{ isSound: false, text }];
	}
	if (!forbidsMods(managed)) return [];
	return [
		{ text: 'your organization allows its own mods alone: the hooks and the status line are what works' },
	];
}
