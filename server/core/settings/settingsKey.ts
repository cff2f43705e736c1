import { type Fields, isFields } from '../shape.ts';

/** The name under which clients may nest the settings. */
export const settingsKey = 'contextd';

/** Unwraps settings that are nested under `contextd`, as in editors' files. Users of Neovim and Helix write both forms. */
export function unwrapSettings(settings: unknown): unknown {
	return isFields(settings) && settingsKey in settings ? settings[settingsKey] : settings;
}

/** Sets a setting in an object of settings, such as a layer. */
export function setSetting(settings: Fields, path: string, value: unknown): void {
	const [section = '', name] = path.split('.');
	if (name === undefined) settings[section] = value;
	else settings[section] = { ...(isFields(settings[section]) && settings[section]), [name]: value };
}
