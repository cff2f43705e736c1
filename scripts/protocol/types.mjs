/** Renders JSON Schema as Markdown: a type as one line, members as a table. */

const prefix = '#/definitions/';

function linkTo(name) {
	return `[\`${name}\`](#type-${name.toLowerCase()})`;
}

function joinAlternatives(types) {
	return [...new Set(types)].join(' \\| ');
}

function renderArray(item) {
	const text = renderType(item);
	return text.includes(' \\| ') ? `(${text})[]` : `${text}[]`;
}

/** Returns a type as one line of Markdown, with links to named shapes. */
export function renderType(schema) {
	if (schema.$ref) return linkTo(schema.$ref.slice(prefix.length));
	if (schema.anyOf) return joinAlternatives(schema.anyOf.map(renderType));
	if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
	if (schema.enum) return joinAlternatives(schema.enum.map((word) => `\`${JSON.stringify(word)}\``));
	if (Array.isArray(schema.type))
		return joinAlternatives(schema.type.map((type) => renderType({ ...schema, type })));
	if (schema.type === 'array') return renderArray(schema.items ?? {});
	if (schema.type !== 'object') return schema.type ?? 'anything';
	const values = schema.additionalProperties;
	if (values?.not) return '`{}`';
	return typeof values === 'object' && Object.keys(values).length > 0
		? `object of ${renderType(values)}`
		: 'object';
}

/** Escapes a text for the cell of a table, in one line. */
export function escapeCell(text) {
	return text.replaceAll(/\s+/g, ' ').replaceAll(/(?<!\\)\|/g, '\\|');
}

/** Lists the members of an object and of unnamed inner objects as `[path, member, isRequired]`. */
function listMembers(schema, path = '') {
	return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
		[`${path}${name}`, member, schema.required?.includes(name) ?? false],
		...listMembers(member, `${path}${name}.`),
	]);
}

/** Returns the sort key of a member: the session's id is first, members that many messages share are last. */
function rankMember(name) {
	if (name === 'sessionId') return 0;
	return name === 'workDoneToken' ? 2 : 1;
}

/** Renders a table of an object's members. A question mark follows the name of an optional member. */
export function renderMemberTable(schema) {
	const members = listMembers(schema).sort(([a], [b]) => rankMember(a) - rankMember(b));
	const rows = members.map(
		([name, member, isRequired]) =>
			`| \`${name}${isRequired ? '' : '?'}\` | ${renderType(member)} | ${escapeCell(member.description ?? '')} |`,
	);
	return ['| member | type | |', '|---|---|---|', ...rows].join('\n');
}

/** Returns the names of the shapes that a schema refers to directly. */
export function listShapeNames(schema) {
	const names = new Set();
	JSON.stringify(schema, (key, value) => {
		if (key === '$ref') names.add(value.slice(prefix.length));
		return value;
	});
	return [...names];
}
