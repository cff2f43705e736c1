import { isFields } from '../shape.ts';

/** The name under which clients may nest the settings. */
export const settingsKey = 'contextd';

/**
 * Unwraps settings that are nested under `contextd`, as editors' files are. Users of Neovim and Helix
 * write both forms.
 */
export function withoutKey(settings: unknown): unknown {
	return isFields(settings) && settingsKey in settings ? settings[settingsKey] : settings;
}
