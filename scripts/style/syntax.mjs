import { parseSync } from 'oxc-parser';

const namedNodeTypes = new Set(['Property', 'MethodDefinition', 'PropertyDefinition']);

/** Calls `enter` for each node of a syntax tree, parents first, with the node and the name that an ancestor gives it. */
export function visit(node, enter, name) {
	if (typeof node?.type === 'string') enter(node, name);
	for (const child of Object.values(node ?? {})) {
		if (child !== null && typeof child === 'object') visit(child, enter, givenName(node) ?? name);
	}
}

function givenName({ type, id, key }) {
	if (type === 'VariableDeclarator') return id.name;
	return namedNodeTypes.has(type) ? (key.name ?? key.value) : undefined;
}

/** Returns the syntax tree and the comments of a source file. Throws an `Error` if the file cannot be parsed. */
export function readSyntax({ file, source }) {
	const { program, comments, errors } = parseSync(file, source);
	if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
	return { file, source, program, comments };
}
