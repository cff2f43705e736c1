/** Checks values of settings against their schema. */

import { isFields } from '../shape.ts';
import { settingRules } from './rules.ts';
import { getMemberSchema, type SettingSchema } from './schema.ts';

/** An invalid value, and what was expected in its place. */
export interface SettingFault {
	/** Path of the value in the setting, such as `[0].baseURL`; empty for the setting itself. */
	path: string;
	expected: string;
	value: unknown;
}

/** Returns the path of a member whose name the user chose, such as the glob of a model: `["gpt-*"]`. */
export function createNamedMemberPath(name: string): string {
	return `[${JSON.stringify(name)}]`;
}

function isUnset(value: unknown): value is null | undefined {
	return value === null || value === undefined;
}

/** Lists the members of a list or object, each with its path. */
function listMembers(
	schema: SettingSchema,
	value: unknown,
): { name: string; path: string; value: unknown }[] {
	if (Array.isArray(value))
		return value.map((one, index) => ({ name: String(index), path: `[${index}]`, value: one }));
	if (!isFields(value)) return [];
	return Object.entries(value).map(([name, one]) => ({
		name,
		path: schema.properties ? `.${name}` : createNamedMemberPath(name),
		value: one,
	}));
}

function findMemberSchema(schema: SettingSchema, name: string): SettingSchema | undefined {
	return schema.items ?? getMemberSchema(schema, name);
}

/** Describes the valid values of a schema; in the plural if `isPlural`. */
function describeSchema(schema: SettingSchema, isPlural = false): string {
	const { type, minimum, maximum, properties, items, additionalProperties, anyOf } = schema;
	if (anyOf) return anyOf.map((one) => describeSchema(one, isPlural)).join(' or ');
	if (schema.enum) return `one of ${schema.enum.map((word) => `"${word}"`).join(', ')}`;
	switch (type) {
		case 'boolean':
			return 'true or false';
		case 'integer':
			return `a whole number from ${minimum}`;
		case 'number':
			return `a number from ${minimum} to ${maximum}`;
		case 'array':
			return `a list of ${describeSchema(items ?? {}, true)}`;
		case 'object': {
			if (!properties) return `an object of ${describeSchema(additionalProperties ?? {}, true)} by name`;
			const names = Object.keys(properties);
			const shownNames = names.length > 3 ? [...names.slice(0, 2), '…'] : names;
			return `${isPlural ? '' : 'an object '}{ ${shownNames.join(', ')} }`;
		}
		default:
			return isPlural ? 'strings' : schema.minLength ? 'a nonempty string' : 'a string';
	}
}

function hasType({ type, minLength = 0, ...schema }: SettingSchema, value: unknown): boolean {
	const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
	switch (type) {
		case 'boolean':
			return typeof value === 'boolean';
		case 'integer':
			return Number.isSafeInteger(value) && (value as number) >= minimum;
		case 'number':
			return typeof value === 'number' && value >= minimum && value <= maximum;
		case 'array':
			return Array.isArray(value);
		case 'object':
			return isFields(value);
		default:
			return typeof value === 'string' && value.length >= minLength && (schema.enum?.includes(value) ?? true);
	}
}

/** Returns the first fault of a value; null if the value is valid. Unknown members and null are valid. */
export function findSettingFault(schema: SettingSchema, value: unknown): SettingFault | null {
	const isValid = schema.anyOf
		? schema.anyOf.some((one) => findSettingFault(one, value) === null)
		: hasType(schema, value);
	if (!isValid) return { path: '', expected: describeSchema(schema), value };
	if (isFields(value)) {
		const missingName = schema.required?.find((name) => isUnset(value[name]));
		if (missingName !== undefined) {
			const expected = describeSchema(getMemberSchema(schema, missingName) ?? {});
			return { path: `.${missingName}`, expected, value: value[missingName] };
		}
	}
	for (const member of listMembers(schema, value)) {
		const memberSchema = findMemberSchema(schema, member.name);
		if (!memberSchema || (isUnset(member.value) && !Array.isArray(value))) continue;
		const fault = findSettingFault(memberSchema, member.value);
		if (fault) return { ...fault, path: `${member.path}${fault.path}` };
	}
	// The value has the type that the rule expects, because it matches the schema.
	return schema.rule ? settingRules[schema.rule](value as never) : null;
}

/** An unknown member of an object, with the names of the known members. */
export interface UnknownSetting {
	/** Path of the member in the setting. */
	path: string;
	name: string;
	knownNames: readonly string[];
}

/** Returns the unknown members of a valid value, at every depth. */
export function findUnknownSettings(schema: SettingSchema, value: unknown): UnknownSetting[] {
	if (schema.anyOf) {
		const alternative = schema.anyOf.find((one) => findSettingFault(one, value) === null);
		return alternative ? findUnknownSettings(alternative, value) : [];
	}
	return listMembers(schema, value).flatMap((member): UnknownSetting[] => {
		const memberSchema = findMemberSchema(schema, member.name);
		if (!memberSchema)
			return [{ path: member.path, name: member.name, knownNames: Object.keys(schema.properties ?? {}) }];
		return findUnknownSettings(memberSchema, member.value).map((one) => ({
			...one,
			path: `${member.path}${one.path}`,
		}));
	});
}

/** Returns a value without the members that are null, which means "not set". */
export function omitUnsetMembers(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(omitUnsetMembers);
	if (!isFields(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([, one]) => !isUnset(one))
			.map(([name, one]) => [name, omitUnsetMembers(one)]),
	);
}
