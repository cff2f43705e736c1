/** JSON Schema as people read it: types in a line, members in a table. */

const prefix = '#/definitions/';

function link(name) {
	return `[\`${name}\`](#type-${name.toLowerCase()})`;
}

function oneOf(parts) {
	return [...new Set(parts)].join(' \\| ');
}

function listOf(item) {
	const text = typeText(item);
	return text.includes(' \\| ') ? `(${text})[]` : `${text}[]`;
}

/** A type in a line of Markdown; shapes with a name are links to it. */
export function typeText(schema) {
	if (schema.$ref) return link(schema.$ref.slice(prefix.length));
	if (schema.anyOf) return oneOf(schema.anyOf.map(typeText));
	if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
	if (schema.enum) return oneOf(schema.enum.map((word) => `\`${JSON.stringify(word)}\``));
	if (Array.isArray(schema.type)) return oneOf(schema.type.map((type) => typeText({ ...schema, type })));
	if (schema.type === 'array') return listOf(schema.items ?? {});
	if (schema.type !== 'object') return schema.type ?? 'anything';
	const values = schema.additionalProperties;
	if (values?.not) return '`{}`';
	return typeof values === 'object' && Object.keys(values).length > 0
		? `object of ${typeText(values)}`
		: 'object';
}

function cell(text) {
	return text.replaceAll(/\s+/g, ' ').replaceAll(/(?<!\\)\|/g, '\\|');
}

/** The members of an object, those of objects without a name below them: `[path, member, isRequired]`. */
function membersOf(schema, path = '') {
	return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
		[`${path}${name}`, member, schema.required?.includes(name) ?? false],
		...membersOf(member, `${path}${name}.`),
	]);
}

/** The session that a message is about stands first, what is the same in many messages last. */
function rank(name) {
	if (name === 'sessionId') return 0;
	return name === 'workDoneToken' ? 2 : 1;
}

/** A row for each member of an object; those that may be absent bear a question mark. */
export function memberTable(schema) {
	const members = membersOf(schema).sort(([a], [b]) => rank(a) - rank(b));
	const rows = members.map(
		([name, member, isRequired]) =>
			`| \`${name}${isRequired ? '' : '?'}\` | ${typeText(member)} | ${cell(member.description ?? '')} |`,
	);
	return ['| member | type | |', '|---|---|---|', ...rows].join('\n');
}

/** The names of the shapes that a schema leads to at once. */
export function namesIn(schema) {
	const found = new Set();
	JSON.stringify(schema, (key, value) => {
		if (key === '$ref') found.add(value.slice(prefix.length));
		return value;
	});
	return [...found];
}
