/** What agents' own settings say of their context, and where they stand: as data, for whoever may read files. */

import { type Fields, isFields, parsedJson } from '../../shape.ts';
import type { Place } from './home.ts';
import type { AgentSettings } from './limit.ts';

/** A file below the folder that the agent works in. */
export interface ProjectFile {
	project: readonly string[];
}

/** The settings of one agent. */
export interface SettingsSource {
	/** Later ones count over earlier ones. */
	files: readonly (Place | ProjectFile)[];
	/** Variables that count where the files do not set them. */
	variables?: readonly string[];
	/**
	 * What concerns the context, and nothing else: it is kept, and the files may hold secrets.
	 * @param texts the contents of the files, in their order; empty where one is not there
	 */
	read(texts: readonly string[]): AgentSettings;
}

/** The object that a JSON text holds; no fields where it is none. */
export function jsonFields(text: string): Fields {
	const value = parsedJson(text)?.value;
	return isFields(value) ? value : {};
}

/** Those of the fields that have one of the names, and a value. */
export function onlyFields(fields: Fields, names: readonly string[]): Fields {
	return Object.fromEntries(
		names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
	);
}

/** Settings of which nothing but these members of one object counts, the later files over the earlier ones. */
export function membersOf(texts: readonly string[], member: string, names: readonly string[]): AgentSettings {
	const found: Fields = {};
	for (const text of texts) {
		const held = jsonFields(text)[member];
		if (isFields(held)) Object.assign(found, onlyFields(held, names));
	}
	return { settings: Object.keys(found).length > 0 ? { [member]: found } : {}, environment: {} };
}

/**
 * The numbers, words and switches of a TOML text, by the name of their table; those before the first table by an
 * empty name. What spans lines, arrays and inline tables are passed over.
 */
export function tomlTables(text: string): Map<string, Fields> {
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
