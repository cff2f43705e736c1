import { visit } from './files.mjs';

const maxFileLines = 400;
const maxFunctionLines = 80;
const maxParameters = 4;
const maxHiddenVariables = 3;

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Irregular past participles, which are unclear as names. */
const irregularParticiples =
	'begun bought bound brought built caught chosen done drawn driven fed felt found given gone got heard held ' +
	'hidden kept known laid left lent lost made meant met nowhere paid said seen sent shown sold spent ' +
	'spoken stuck taken thought thrown told torn understood won written';
const participlePattern = new RegExp(`^(?:[a-z]*[a-df-z]ed|${irregularParticiples.replaceAll(' ', '|')})$`);

/** Finds functions that are too long, take too many parameters, or hide state in variables. */
export function findShapes({ program, source }) {
	const offences = [];
	visit(program, (node, givenName) => {
		if (!functionTypes.has(node.type) || !node.body) return;
		const name = node.id?.name ?? givenName ?? 'anonymous';
		const add = (rule, message) => offences.push({ rule, name, offset: node.start, message });
		const lines = source.slice(node.start, node.end).split('\n').length;
		if (lines > maxFunctionLines) add('long function', `has ${lines} lines, at most ${maxFunctionLines}`);
		const { length } = node.params;
		if (length > maxParameters) add('parameters', `takes ${length} parameters, at most ${maxParameters}`);
		const variables = isFactory(node.body) ? listLets(node.body.body).length : 0;
		if (variables > maxHiddenVariables) add('factory', `hides ${variables} variables: make it a class`);
	});
	return offences;
}

function listLets(statements) {
	return statements
		.filter((node) => node.type === 'VariableDeclaration' && node.kind === 'let')
		.flatMap((node) => node.declarations);
}

/** Whether the body of a function declares inner functions, or returns an object with functions. */
function isFactory({ type, body }) {
	if (type !== 'BlockStatement') return false;
	return body.some((node) => {
		if (node.type === 'FunctionDeclaration') return true;
		return (
			node.type === 'ReturnStatement' &&
			node.argument?.type === 'ObjectExpression' &&
			node.argument.properties.some(({ value }) => functionTypes.has(value?.type))
		);
	});
}

/** Finds a file that is too long. */
export function findLongFile({ file, source }) {
	const lines = source.split('\n').length - 1;
	if (lines <= maxFileLines) return [];
	const message = `has ${lines} lines, at most ${maxFileLines}`;
	return [{ rule: 'long file', name: file.slice(file.lastIndexOf('/') + 1), offset: 0, message }];
}

/** Finds names that begin with `most` or `least`; each name once. */
export function findLimitNames({ program }) {
	const names = new Map();
	visit(program, (node) => {
		if (node.type !== 'Identifier' || !/^(?:most|least)[A-Z]/.test(node.name) || names.has(node.name)) return;
		const message = 'begin limits with max, min or default';
		names.set(node.name, { rule: 'limit name', name: node.name, offset: node.start, message });
	});
	return [...names.values()];
}

/** Returns the identifiers that a file declares and exports; each name once. */
function listExports({ program }) {
	const identifiers = program.body
		.filter(({ type, declaration }) => type === 'ExportNamedDeclaration' && declaration)
		.flatMap(({ declaration }) => declaration.declarations ?? [declaration])
		.map(({ id }) => id);
	return [...new Map(identifiers.map((id) => [id.name, id])).values()];
}

/** Finds exported names that consist of a past participle alone. */
export function findParticiples(syntax) {
	return listExports(syntax)
		.filter(({ name }) => participlePattern.test(name[0].toLowerCase() + name.slice(1)))
		.map(({ name, start }) => ({
			rule: 'participle',
			name,
			offset: start,
			message: 'name functions with verbs, and types with nouns',
		}));
}

/** Finds names that several files export; one offence for each of these files. */
export function findTwins(files) {
	const exporters = new Map();
	for (const syntax of files) {
		for (const { name, start } of listExports(syntax)) {
			const { file } = syntax;
			exporters.set(name, [...(exporters.get(name) ?? []), { file, name, offset: start }]);
		}
	}
	return [...exporters.values()].flatMap((twins) =>
		twins.length === 1
			? []
			: twins.map(({ file, ...twin }) => ({
					...twin,
					file,
					rule: 'exported twice',
					message: `also in ${twins
						.map((other) => other.file)
						.filter((other) => other !== file)
						.join(', ')}`,
				})),
	);
}
