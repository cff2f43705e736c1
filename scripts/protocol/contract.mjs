/** Reads the contract from its source: messages with descriptions, shapes as JSON Schema, and codes. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createGenerator } from 'ts-json-schema-generator';
import { importSource } from '../bundleSource.mjs';
import { ts } from '../lspTypes.mjs';
import { createCheckedSchema, ownTags, withoutOwnTags } from './settingsSchema.mjs';

const specification =
	'https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/';

const server = fileURLToPath(new URL('../../server', import.meta.url));

/** Files with messages of LSP. The page does not describe their members but links to the specification. */
const lspFiles = ['lifecycle', 'lsp'];

/** Files whose messages the page describes, in the order of the page. */
const files = [
	'session',
	'stats',
	'measuring',
	'report',
	'sources',
	'compact',
	'history',
	'files',
	'output',
	'overflow',
	'validate',
	'transcript',
	'recorder',
	'push',
];

/** Returns the runtime exports of a file of the contract. */
function importFile(name) {
	return importSource(`export * from './server/protocol/${name}.ts';`);
}

async function parseSource(name) {
	const path = `${server}/protocol/${name}.ts`;
	return ts.createSourceFile(path, await readFile(path, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Returns the text of a node's doc comment in one line. Throws if the node has no doc comment. */
function readDocComment(node) {
	const [doc] = ts.getJSDocCommentsAndTags(node);
	if (doc === undefined)
		throw new Error(`${node.getSourceFile().fileName}: no doc comment before ${node.getText().slice(0, 60)}`);
	return ts.getTextOfJSDocComment(doc.comment).replaceAll(/\s*\n\s*/g, ' ');
}

function readTitle(source) {
	const [header] = ts.getLeadingCommentRanges(source.text, 0) ?? [];
	return source.text.slice(header.pos, header.end).replace(/^\/\*\*\s*(.*?)\.?\s*\*\/$/s, '$1');
}

function listVariables(source) {
	return source.statements
		.filter(ts.isVariableStatement)
		.flatMap((statement) =>
			statement.declarationList.declarations.map((variable) => ({ statement, variable })),
		);
}

/** Converts a type in a declaration to JSON Schema. */
function typeToSchema(type) {
	if (ts.isUnionTypeNode(type)) return { anyOf: type.types.map(typeToSchema) };
	if (type.kind === ts.SyntaxKind.UnknownKeyword) return {};
	if (type.getText() === 'null') return { type: 'null' };
	if (!ts.isTypeReferenceNode(type) || type.typeArguments)
		throw new Error(`expected a named type: ${type.getText()}`);
	return { $ref: `#/definitions/${type.getText()}` };
}

/** Returns a file's messages of LSP, each with a link to its specification. */
function readLspMessages(source, values) {
	return listVariables(source).flatMap(({ statement, variable }) => {
		const message = values[variable.name.getText()];
		if (message === undefined) return [];
		const { kind, method, direction } = message;
		const anchor = method.replace('$/', '').replaceAll('/', '_');
		const text = readDocComment(statement);
		return { kind, method, direction, text, specification: `${specification}#${anchor}` };
	});
}

function readMessages(source, values) {
	return listVariables(source).flatMap(({ statement, variable }) => {
		const typeName = variable.type?.typeName?.getText();
		if (typeName !== 'RequestDeclaration' && typeName !== 'NotificationDeclaration') return [];
		const [params, result] = variable.type.typeArguments;
		return {
			...values[variable.name.getText()],
			text: readDocComment(statement),
			params: typeToSchema(params),
			...(typeName === 'RequestDeclaration' && { result: typeToSchema(result) }),
		};
	});
}

/** Returns the members of a table of codes, with their descriptions. */
function readCodes(source, name, values) {
	const { variable } = listVariables(source).find((entry) => entry.variable.name.getText() === name);
	return variable.initializer.expression.properties.map((member) => ({
		name: member.name.getText(),
		code: values[name][member.name.getText()],
		text: readDocComment(member),
	}));
}

/** Moves the reasons of `@deprecated` into descriptions, because `deprecated` is a boolean in JSON Schema. */
function markDeprecated(schema) {
	for (const member of Object.values(schema.properties ?? {})) markDeprecated(member);
	if (schema.deprecated === undefined) return;
	schema.description = `${schema.description} Deprecated: ${schema.deprecated}`;
	schema.deprecated = true;
}

/** Returns the paths of members, at any depth, that have no description. */
function findUndescribed(schema, path) {
	const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
		...(member.description ? [] : [`${path}.${name}`]),
		...findUndescribed(member, `${path}.${name}`),
	]);
	return schema.items ? [...members, ...findUndescribed(schema.items, `${path}[]`)] : members;
}

/** Generates the schemas of all exported shapes, by name. Throws if a member has no description. */
function generateDefinitions() {
	const { definitions } = createGenerator({
		path: `${server}/protocol/index.ts`,
		tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)),
		type: '*',
		expose: 'export',
		jsDoc: 'extended',
		extraTags: ownTags,
		skipTypeCheck: true,
		additionalProperties: true,
	}).createSchema('*');
	const shapes = Object.entries(definitions).filter(([name]) => /^[A-Z]/.test(name));
	const undescribed = shapes.flatMap(([name, schema]) => findUndescribed(schema, name));
	if (undescribed.length > 0) throw new Error(`no doc comment for ${undescribed.join(', ')}`);
	for (const [, schema] of shapes) markDeprecated(schema);
	return Object.fromEntries(shapes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the contract in the form from which the page and the schema are made. */
export async function readContract() {
	const values = await importFile('index');
	const definitions = generateDefinitions();
	const sources = await Promise.all(files.map(parseSource));
	const lsp = await Promise.all(
		lspFiles.map(async (name) => readLspMessages(await parseSource(name), await importFile(name))),
	);
	const errors = await parseSource('errors');
	return {
		lsp: lsp.flat(),
		sections: sources.map((source) => ({ title: readTitle(source), messages: readMessages(source, values) })),
		definitions: withoutOwnTags(definitions),
		settingsSchema: createCheckedSchema(definitions.Settings, definitions),
		errorCodes: readCodes(errors, 'errorCodes', values),
		failureCodes: readCodes(errors, 'failureCodes', values),
	};
}
