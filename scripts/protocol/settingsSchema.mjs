/** Derives from the types of the contract how the daemon checks settings and how VS Code shows them. */

/** Tags in the types that only the daemon's checks understand. */
export const ownTags = ['rule', 'project'];

/** Members of a setting in the manifest that are written by hand. All other members come from the schema. */
const writtenMembers = [
	'scope',
	'markdownDescription',
	'description',
	'enumDescriptions',
	'deprecationMessage',
	'order',
];

/** Settings that are not in the manifest, because the extension decides them by its capabilities. */
const decidedByExtension = ['summarization.useClient'];

function mapValues(object, change) {
	return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}

/** Returns a schema without the tags that no other program understands. */
export function withoutOwnTags(schema) {
	if (Array.isArray(schema)) return schema.map(withoutOwnTags);
	if (typeof schema !== 'object' || schema === null) return schema;
	const members = Object.entries(schema).filter(([name]) => !ownTags.includes(name));
	return Object.fromEntries(
		members.map(([name, value]) => [
			name,
			name === 'properties' ? mapValues(value, withoutOwnTags) : withoutOwnTags(value),
		]),
	);
}

/** Whether a setting may be omitted because it has a default, or is a section with a setting that has one. */
function hasDefault({ default: value, properties = {} }) {
	return value !== undefined || Object.values(properties).some(hasDefault);
}

/** Returns the schema for the daemon's checks: without references, descriptions, and the value null, which means "not set". */
export function createCheckedSchema(schema, definitions) {
	const {
		$ref,
		anyOf,
		description: _,
		deprecated: __,
		properties,
		items,
		additionalProperties,
		...rest
	} = schema;
	const convert = (inner) => createCheckedSchema(inner, definitions);
	if ($ref) return { ...convert(definitions[$ref.slice('#/definitions/'.length)]), ...rest };
	const alternatives = (anyOf ?? []).filter((option) => option.type !== 'null').map(convert);
	if (alternatives.length === 1) return { ...alternatives[0], ...rest };
	const members = properties && mapValues(properties, convert);
	const { type: types = [], enum: words, required = [], multipleOf, ...limits } = rest;
	const requiredNames = required.filter((name) => !hasDefault(members[name]));
	const type = [types].flat().find((name) => name !== 'null');
	return {
		...(type && { type: multipleOf === 1 ? 'integer' : type }),
		...(alternatives.length === 0 && limits),
		...(words && { enum: words.filter((word) => word !== null) }),
		...(alternatives.length > 0 && {
			anyOf: alternatives.map((option) => (option.type === 'string' ? { ...option, ...limits } : option)),
		}),
		...(items && { items: convert(items) }),
		...(typeof additionalProperties === 'object' && { additionalProperties: convert(additionalProperties) }),
		...(requiredNames.length > 0 && { required: requiredNames }),
		...(members && { properties: members }),
	};
}

/** Returns pairs of path and schema for all settings. */
function listSettings({ properties }) {
	return Object.entries(properties).flatMap(([name, schema]) =>
		schema.properties
			? Object.entries(schema.properties).map(([inner, setting]) => [`${name}.${inner}`, setting])
			: [[name, schema]],
	);
}

/** Returns the paths of the settings that a project's file may set. */
export function listProjectSettings(schema) {
	return listSettings(schema).flatMap(([name, { project }]) => (project ? [name] : []));
}

/** Returns the values of an enumeration; in the order of the manifest's list if that has the same values. */
function keepManifestOrder(values, order = []) {
	const isSame = order.length === values.length && values.every((value) => order.includes(value));
	return isSame ? order : values;
}

/** Creates a setting of the manifest from the schema, with the handwritten members of `present`, its current entry. */
function createManifestSetting(schema, present = {}) {
	const {
		type,
		default: value,
		anyOf,
		enum: words,
		items,
		properties,
		additionalProperties,
		...rest
	} = schema;
	// Keys must not be stored in settings files of the editor, so only the name of a variable is accepted.
	if (anyOf)
		return createManifestSetting(
			anyOf.find((option) => option.type === 'object'),
			present,
		);
	const isNullable = value === null;
	const convert = (inner, name) => createManifestSetting(inner, present.properties?.[name]);
	return {
		type: isNullable ? [type, 'null'] : type,
		...(value !== undefined && { default: value }),
		...rest,
		...(words && { enum: keepManifestOrder(isNullable ? [null, ...words] : words, present.enum) }),
		...(items && { items: createManifestSetting(items, present.items) }),
		...(additionalProperties && {
			additionalProperties: createManifestSetting(additionalProperties, present.additionalProperties),
		}),
		...(properties && { properties: mapValues(properties, convert), additionalProperties: false }),
		...Object.fromEntries(
			writtenMembers.filter((name) => name in present).map((name) => [name, present[name]]),
		),
	};
}

/** Updates the settings in the text of the manifest. Throws if the manifest lacks a setting or has an unknown one. */
export function renderManifest(text, schema) {
	const manifest = JSON.parse(text);
	const shownSettings = listSettings(withoutOwnTags(schema)).filter(
		([name]) => !decidedByExtension.includes(name),
	);
	const settings = new Map(shownSettings.map(([name, setting]) => [`contextd.${name}`, setting]));
	for (const group of manifest.contributes.configuration) {
		group.properties = mapValues(group.properties, (present, name) => {
			// Settings of other sections belong to the extension, not to the daemon.
			if (!(name.split('.')[1] in schema.properties)) return present;
			const setting = settings.get(name);
			if (setting === undefined)
				throw new Error(`client-vscode/package.json: the daemon has no setting ${name}`);
			settings.delete(name);
			return createManifestSetting(setting, present);
		});
	}
	if (settings.size > 0)
		throw new Error(`client-vscode/package.json lacks ${[...settings.keys()].join(', ')}`);
	return `${JSON.stringify(manifest, null, '\t')}\n`;
}
