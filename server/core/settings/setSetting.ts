import { type Fields, isFields } from '../shape.ts';

/** Sets a setting in an object of settings, such as a layer. */
export function setSetting(settings: Fields, path: string, value: unknown): void {
	const [section = '', name] = path.split('.');
	if (name === undefined) settings[section] = value;
	else settings[section] = { ...(isFields(settings[section]) && settings[section]), [name]: value };
}
