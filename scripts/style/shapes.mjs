import { visit } from './syntax.mjs';

const maxLines = 80;
const maxParameters = 4;
const maxVariables = 3;

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Irregular past participles, which say nothing as a name. */
const irregular =
	'begun bought bound brought built caught chosen done drawn driven fed felt found given gone got heard held ' +
	'hidden kept known laid left lent lost made meant met nowhere paid said seen sent shown sold spent ' +
	'spoken stuck taken thought thrown told torn understood won written';
const participle = new RegExp(`^(?:[a-z]*[a-df-z]ed|${irregular.replaceAll(' ', '|')})$`);

/** Returns the functions of a file that are too long, take too many parameters, or hide state in variables. */
export function findFunctionShapes({ program, source }) {
	const found = [];
	visit(program, (node, given) => {
		if (!functions.has(node.type) || !node.body) return;
		const name = node.id?.name ?? given ?? 'anonymous';
		const add = (rule, message) => found.push({ rule, name, offset: node.start, message });
		const lines = source.slice(node.start, node.end).split('\n').length;
		if (lines > maxLines) add('long function', `has ${lines} lines, at most ${maxLines}`);
		const { length } = node.params;
		if (length > maxParameters) add('parameters', `takes ${length} parameters, at most ${maxParameters}`);
		const variables = isFactory(node.body) ? lets(node.body.body).length : 0;
		if (variables > maxVariables) add('factory', `hides ${variables} variables: make it a class`);
	});
	return found;
}

function lets(statements) {
	return statements
		.filter((one) => one.type === 'VariableDeclaration' && one.kind === 'let')
		.flatMap((one) => one.declarations);
}

/** Whether a function's body declares functions, or returns an object with functions, that share its variables. */
function isFactory({ type, body }) {
	if (type !== 'BlockStatement') return false;
	return body.some((one) => {
		if (one.type === 'FunctionDeclaration') return true;
		return (
			one.type === 'ReturnStatement' &&
			one.argument?.type === 'ObjectExpression' &&
			one.argument.properties.some(({ value }) => functions.has(value?.type))
		);
	});
}

/** Returns the names of a file that begin with `most` or `least`, once each. */
export function findLimitNames({ program }) {
	const found = new Map();
	visit(program, (node) => {
		if (node.type !== 'Identifier' || !/^(?:most|least)[A-Z]/.test(node.name) || found.has(node.name)) return;
		const message = 'begin limits with max, min or default';
		found.set(node.name, { rule: 'limit name', name: node.name, offset: node.start, message });
	});
	return [...found.values()];
}

/** Returns the names that a file declares and exports, each once. */
function exportsOf({ program }) {
	const declared = program.body
		.filter(({ type, declaration }) => type === 'ExportNamedDeclaration' && declaration)
		.flatMap(({ declaration }) => declaration.declarations ?? [declaration])
		.map(({ id }) => id);
	return [...new Map(declared.map((id) => [id.name, id])).values()];
}

/** Returns the exported names of a file that are a past participle alone. */
export function findParticiples(syntax) {
	return exportsOf(syntax)
		.filter(({ name }) => participle.test(name[0].toLowerCase() + name.slice(1)))
		.map(({ name, start }) => ({
			rule: 'participle',
			name,
			offset: start,
			message: 'name functions with verbs, and types with nouns',
		}));
}

/** Returns the names that several files export, once for each of these files. */
export function findTwins(files) {
	const exporters = new Map();
	for (const syntax of files) {
		for (const { name, start } of exportsOf(syntax)) {
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
