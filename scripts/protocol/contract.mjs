/** Reads the contract from its source: the messages with their sentences, the shapes as JSON Schema, the codes. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { createGenerator } from 'ts-json-schema-generator';

/** The compiler that the generator works with: the native one has no interface for programs. */
const ts = createRequire(createRequire(import.meta.url).resolve('ts-json-schema-generator'))('typescript');

const specification =
	'https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/';

const server = fileURLToPath(new URL('../../server', import.meta.url));

/** The files with messages of LSP; the page links to its specification instead of describing them. */
const lspFiles = ['lifecycle', 'lsp'];

/** The files whose messages the page tells of, in its order. */
const files = [
	'session',
	'stats',
	'compact',
	'history',
	'files',
	'output',
	'overflow',
	'validate',
	'transcript',
	'push',
];

/** What a module of the server exports when it runs. */
async function valuesOf(path) {
	const { outputFiles } = await build({
		entryPoints: [`${server}/${path}`],
		bundle: true,
		format: 'esm',
		write: false,
	});
	return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}

async function sourceOf(name) {
	const path = `${server}/protocol/${name}.ts`;
	return ts.createSourceFile(path, await readFile(path, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** What stands before a node, in words. */
function sentenceOf(node) {
	const [doc] = ts.getJSDocCommentsAndTags(node);
	if (doc === undefined)
		throw new Error(`${node.getSourceFile().fileName}: no words for ${node.getText().slice(0, 60)}`);
	return ts.getTextOfJSDocComment(doc.comment).replaceAll(/\s*\n\s*/g, ' ');
}

function titleOf(source) {
	const [header] = ts.getLeadingCommentRanges(source.text, 0) ?? [];
	return source.text.slice(header.pos, header.end).replace(/^\/\*\*\s*(.*?)\.?\s*\*\/$/s, '$1');
}

function variablesOf(source) {
	return source.statements
		.filter(ts.isVariableStatement)
		.flatMap((statement) => statement.declarationList.declarations.map((one) => ({ statement, one })));
}

/** The JSON Schema of a type that a declaration names. */
function schemaOf(type) {
	if (ts.isUnionTypeNode(type)) return { anyOf: type.types.map(schemaOf) };
	if (type.kind === ts.SyntaxKind.UnknownKeyword) return {};
	if (type.getText() === 'null') return { type: 'null' };
	if (!ts.isTypeReferenceNode(type) || type.typeArguments)
		throw new Error(`a type without a name: ${type.getText()}`);
	return { $ref: `#/definitions/${type.getText()}` };
}

/** The messages of LSP in a file: each with the place in the specification that describes it. */
function lspMessagesOf(source, values) {
	return variablesOf(source).flatMap(({ statement, one }) => {
		const message = values[one.name.getText()];
		if (message === undefined) return [];
		const { kind, method, direction } = message;
		const anchor = method.replace('$/', '').replaceAll('/', '_');
		return {
			kind,
			method,
			direction,
			text: sentenceOf(statement),
			specification: `${specification}#${anchor}`,
		};
	});
}

function messagesOf(source, values) {
	return variablesOf(source).flatMap(({ statement, one }) => {
		const declared = one.type?.typeName?.getText();
		if (declared !== 'RequestDeclaration' && declared !== 'NotificationDeclaration') return [];
		const [params, result] = one.type.typeArguments;
		return {
			...values[one.name.getText()],
			text: sentenceOf(statement),
			params: schemaOf(params),
			...(declared === 'RequestDeclaration' && { result: schemaOf(result) }),
		};
	});
}

/** The members of a table of codes, with their words. */
function codesOf(source, name, values) {
	const { one } = variablesOf(source).find((found) => found.one.name.getText() === name);
	return one.initializer.expression.properties.map((member) => ({
		name: member.name.getText(),
		code: values[name][member.name.getText()],
		text: sentenceOf(member),
	}));
}

/** The members, at any depth, that nobody says anything of. */
function wordless(schema, path) {
	const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
		...(member.description ? [] : [`${path}.${name}`]),
		...wordless(member, `${path}.${name}`),
	]);
	return schema.items ? [...members, ...wordless(schema.items, `${path}[]`)] : members;
}

/** Every exported shape by its name. Throws where a member has no sentence. */
function definitionsOf() {
	const { definitions } = createGenerator({
		path: `${server}/protocol/index.ts`,
		tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)),
		type: '*',
		expose: 'export',
		jsDoc: 'extended',
		skipTypeCheck: true,
		additionalProperties: true,
	}).createSchema('*');
	const shapes = Object.entries(definitions).filter(([name]) => /^[A-Z]/.test(name));
	const missing = shapes.flatMap(([name, schema]) => wordless(schema, name));
	if (missing.length > 0) throw new Error(`no words for ${missing.join(', ')}`);
	return Object.fromEntries(shapes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** All that the page and the schema are made of. */
export async function readContract() {
	const values = await valuesOf('protocol/index.ts');
	const { defaultSettings } = await valuesOf('core/settings/layers.ts');
	const sources = await Promise.all(files.map(sourceOf));
	const lsp = await Promise.all(
		lspFiles.map(async (name) => lspMessagesOf(await sourceOf(name), await valuesOf(`protocol/${name}.ts`))),
	);
	const errors = await sourceOf('errors');
	return {
		lsp: lsp.flat(),
		sections: sources.map((source) => ({ title: titleOf(source), messages: messagesOf(source, values) })),
		definitions: definitionsOf(),
		errorCodes: codesOf(errors, 'errorCodes', values),
		failureCodes: codesOf(errors, 'failureCodes', values),
		defaultSettings,
	};
}
