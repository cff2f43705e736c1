/** Detects what an organization or the user forbids the plugin to do. */

import { isFields, tryParseJson } from '../../../core/shape.ts';
import type { Finding } from '../parts/agent.ts';
import { readBytesIfExists } from '../parts/files.ts';

/** Returns the file of an organization's settings. Settings that come over the network cannot be seen here. */
function getManagedSettingsPath(platform: NodeJS.Platform): string {
	switch (platform) {
		case 'darwin':
			return '/Library/Application Support/ClaudeCode/managed-settings.json';
		case 'win32':
			return 'C:\\Program Files\\ClaudeCode\\managed-settings.json';
		default:
			return '/etc/claude-code/managed-settings.json';
	}
}

/** Returns an organization's settings on this machine; empty if there are none or they are unreadable. */
export async function readManagedSettings(platform: NodeJS.Platform): Promise<object> {
	const bytes = await readBytesIfExists(getManagedSettingsPath(platform)).catch(() => undefined);
	const values = bytes && tryParseJson(bytes.toString('utf8'))?.value;
	return isFields(values) ? values : {};
}

/** Returns whether an organization's settings forbid the user's own mods. */
export function areModsForbidden(managed: object): boolean {
	const { pluginConfigs } = managed as { pluginConfigs?: unknown };
	const guard = isFields(pluginConfigs) ? pluginConfigs['cc-plugin-sec-default@builtin'] : undefined;
	return isFields(guard) && isFields(guard.options) && guard.options.allowManagedModsOnly === true;
}

/**
 * Returns findings about what is forbidden; empty if nothing is.
 * @param managed the settings of the organization
 * @param user the settings of the user
 */
export function listForbidden(managed: object, user: object): Finding[] {
	if ('allowManagedHooksOnly' in managed && managed.allowManagedHooksOnly === true) {
		const text = 'your organization allows only its own hooks: no part of the plugin runs';
		return [{ isSound: false, text }];
	}
	if ([managed, user].some((values) => 'disableAllHooks' in values && values.disableAllHooks === true)) {
		const text = 'disableAllHooks is set in the settings: no part of the plugin runs';
		return [{ isSound: false, text }];
	}
	if (!areModsForbidden(managed)) return [];
	return [{ text: 'your organization allows only its own mods: only the hooks and the status line work' }];
}
