import { isFields } from '../shape.ts';

/** The name under which clients may nest the settings. */
export const settingsKey = 'contextd';

/** Settings may be nested under `contextd`, as in an editor's file, or not: users of Neovim and Helix write both. */
export function withoutKey(settings: unknown): unknown {
	return isFields(settings) && settingsKey in settings ? settings[settingsKey] : settings;
}
