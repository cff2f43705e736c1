/** The settings as the daemon checks them, and as VS Code shows them: both follow from the types of the contract. */

/** Tags that only the daemon's checks understand. */
export const ownTags = ['rule', 'project'];

/** Members of a setting in the manifest that people write, with their texts; the schema gives all others. */
const writtenMembers = [
	'scope',
	'markdownDescription',
	'description',
	'enumDescriptions',
	'deprecationMessage',
	'order',
];

/** Settings without an entry in the manifest: the capabilities that the extension announces decide instead. */
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

/** Whether a setting may be left out: it has a default, or is a section whose settings have defaults. */
function hasDefault({ default: value, properties = {} }) {
	return value !== undefined || Object.values(properties).some(hasDefault);
}

/** Returns the schema of the checks: without references and words, and without null, which always means "not set". */
export function checkedSchema(schema, definitions) {
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
	const checked = (one) => checkedSchema(one, definitions);
	if ($ref) return { ...checked(definitions[$ref.slice('#/definitions/'.length)]), ...rest };
	const alternatives = (anyOf ?? []).filter(({ type }) => type !== 'null').map(checked);
	if (alternatives.length === 1) return { ...alternatives[0], ...rest };
	const members = properties && mapValues(properties, checked);
	const { type: types = [], enum: words, required = [], multipleOf, ...limits } = rest;
	const needed = required.filter((name) => !hasDefault(members[name]));
	const type = [types].flat().find((one) => one !== 'null');
	return {
		...(type && { type: multipleOf === 1 ? 'integer' : type }),
		...(alternatives.length === 0 && limits),
		...(words && { enum: words.filter((word) => word !== null) }),
		...(alternatives.length > 0 && {
			anyOf: alternatives.map((one) => (one.type === 'string' ? { ...one, ...limits } : one)),
		}),
		...(items && { items: checked(items) }),
		...(typeof additionalProperties === 'object' && { additionalProperties: checked(additionalProperties) }),
		...(needed.length > 0 && { required: needed }),
		...(members && { properties: members }),
	};
}

/** Every setting of a checked schema by its path. */
function settingsOf({ properties }) {
	return Object.entries(properties).flatMap(([name, schema]) =>
		schema.properties
			? Object.entries(schema.properties).map(([inner, one]) => [`${name}.${inner}`, one])
			: [[name, schema]],
	);
}

/** Returns the paths of the settings that the file of a project may set. */
export function projectSettings(schema) {
	const allowed = settingsOf(schema).filter(([, { project }]) => project);
	return allowed.map(([name]) => name);
}

/** Returns the words of an enumeration in the order in which `old` has them, if the words are the same. */
function orderedWords(words, old = []) {
	const isSame = old.length === words.length && words.every((word) => old.includes(word));
	return isSame ? old : words;
}

/** Returns a setting of the manifest: the texts of `old`, everything else from its schema. */
function manifestSetting(schema, old = {}) {
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
	// A key must not be written into a settings file of the editor: only the name of its variable.
	if (anyOf)
		return manifestSetting(
			anyOf.find(({ type }) => type === 'object'),
			old,
		);
	const isNullable = value === null;
	const inner = (one, name) => manifestSetting(one, old.properties?.[name]);
	return {
		type: isNullable ? [type, 'null'] : type,
		...(value !== undefined && { default: value }),
		...rest,
		...(words && { enum: orderedWords(isNullable ? [null, ...words] : words, old.enum) }),
		...(items && { items: manifestSetting(items, old.items) }),
		...(additionalProperties && {
			additionalProperties: manifestSetting(additionalProperties, old.additionalProperties),
		}),
		...(properties && { properties: mapValues(properties, inner), additionalProperties: false }),
		...Object.fromEntries(writtenMembers.filter((name) => name in old).map((name) => [name, old[name]])),
	};
}

/** Returns the text of the manifest with the settings of the schema. Throws if one is missing, or unknown. */
export function renderManifest(text, schema) {
	const manifest = JSON.parse(text);
	const shown = settingsOf(withoutOwnTags(schema)).filter(([name]) => !decidedByExtension.includes(name));
	const settings = new Map(shown.map(([name, one]) => [`contextd.${name}`, one]));
	for (const group of manifest.contributes.configuration) {
		group.properties = mapValues(group.properties, (old, name) => {
			// Other sections concern the extension alone.
			if (!(name.split('.')[1] in schema.properties)) return old;
			const found = settings.get(name);
			if (found === undefined)
				throw new Error(`client-vscode/package.json: the daemon has no setting ${name}`);
			settings.delete(name);
			return manifestSetting(found, old);
		});
	}
	if (settings.size > 0)
		throw new Error(`client-vscode/package.json lacks ${[...settings.keys()].join(', ')}`);
	return `${JSON.stringify(manifest, null, '\t')}\n`;
}
