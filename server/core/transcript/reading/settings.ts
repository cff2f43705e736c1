/** Agents' own settings that concern their context, and their locations, as data for code that may read files. */

import { type Fields, isFields, tryParseJson } from '../../shape.ts';
import { asFields } from '../../values.ts';
import type { AgentSettings } from './limit.ts';
import type { FolderLocation } from './locations.ts';

/** Where an agent stores its settings, and how to read them. */
export interface SettingsSource {
	/** Files in folders of the user, or in the folder that the agent works in. Later files override earlier ones. */
	files: readonly (FolderLocation | { project: readonly string[] })[];
	/** Variables that apply if the files do not set them. */
	variables?: readonly string[];
	/**
	 * Extracts only what concerns the context: the result is stored, and the files may contain secrets.
	 *
	 * @param texts contents of the files, in order; empty for a missing one
	 */
	read(texts: readonly string[]): Pick<AgentSettings, 'settings'> & Partial<AgentSettings>;
}

/** Returns the object in a JSON text; an empty object if the text is anything else. */
export function parseJsonFields(text: string): Fields {
	const value = tryParseJson(text)?.value;
	return isFields(value) ? value : {};
}

/** Returns those of the named fields that have a value. */
export function pickFields(fields: Fields, names: readonly string[]): Fields {
	return Object.fromEntries(
		names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
	);
}

/** Reads only these members of one object from settings files; later files override earlier ones. */
export function readSettingMembers(
	texts: readonly string[],
	member: string,
	names: readonly string[],
): { settings: Fields } {
	const members = texts.map((text) => pickFields(asFields(parseJsonFields(text)[member]), names));
	return { settings: { [member]: Object.assign({}, ...members) } };
}

/**
 * Parses the numbers, strings and booleans of a TOML text, by table name; the first table has an empty
 * name. Ignores multi-line values, arrays and inline tables.
 */
export function parseTomlTables(text: string): Map<string, Fields> {
	const tables = new Map<string, Fields>();
	let table: Fields = {};
	tables.set('', table);
	for (const line of text.split('\n')) {
		const name = /^\s*\[([^[\]]+)\]/.exec(line)?.[1]?.replaceAll(/["'\s]/g, '');
		if (name !== undefined) {
			table = tables.get(name) ?? {};
			tables.set(name, table);
		}
		const [, key, word, other] = /^\s*([\w-]+)\s*=\s*(?:["']([^"']*)["']|([\w.+-]+))/.exec(line) ?? [];
		if (key === undefined) continue;
		table[key] =
			word ?? (other === 'true' || other === 'false' ? other === 'true' : Number(other?.replaceAll('_', '')));
	}
	return tables;
}
