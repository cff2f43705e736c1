/** All settings with their defaults and limits, as `npm run docs` writes them from `protocol/settings.ts`. */

import type { Settings } from '../../protocol/settings.ts';
import type { Fields } from '../shape.ts';
import type { RuleName } from './rules.ts';
import settings from './schema.json' with { type: 'json' };
import { setSetting } from './settingsKey.ts';

/** The subset of JSON Schema that settings use. Null is valid everywhere and means "not set". */
export interface SettingSchema {
	type?: 'boolean' | 'string' | 'integer' | 'number' | 'array' | 'object';
	default?: unknown;
	enum?: readonly string[];
	minimum?: number;
	maximum?: number;
	minLength?: number;
	/** Name of a further check of values (`rules.ts`). */
	rule?: RuleName;
	/** Whether the file of a project may set the setting. */
	project?: boolean;
	items?: SettingSchema;
	/** Members that an object must have. */
	required?: readonly string[];
	properties?: Readonly<Record<string, SettingSchema>>;
	/** Members of any name. */
	additionalProperties?: SettingSchema;
	anyOf?: readonly SettingSchema[];
}

/** The schema of all settings: sections and single settings. */
export const settingsSchema = settings as unknown as SettingSchema;

/** Returns the schema of an object's member; undefined if the object may have no member with this name. */
export function getMemberSchema(schema: SettingSchema, name: string): SettingSchema | undefined {
	const { properties = {}, additionalProperties } = schema;
	return Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
}

/** Whether a top-level schema is a group of settings instead of a setting. */
export function isSection(schema: SettingSchema): boolean {
	return schema.properties !== undefined;
}

/** All settings by path: a section and a name, or only a name. */
export const settingSchemas: ReadonlyMap<string, SettingSchema> = new Map(
	Object.entries(settingsSchema.properties ?? {}).flatMap(([name, schema]) =>
		isSection(schema)
			? Object.entries(schema.properties ?? {}).map(([inner, one]) => [`${name}.${inner}`, one] as const)
			: [[name, schema] as const],
	),
);

function readDefaults(): Settings {
	const defaults: Fields = {};
	for (const [path, schema] of settingSchemas) setSetting(defaults, path, schema.default);
	return defaults as unknown as Settings;
}

export const defaultSettings: Settings = readDefaults();
