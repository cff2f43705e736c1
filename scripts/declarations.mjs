/**
 * Writes the types of the package's exports, as TypeScript generates them from the sources, with JavaScript file
 * endings in imports and without anything that users cannot reach.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { lspTypes } from './lspTypes.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const written = path.join(root, 'node_modules/.cache/contextd/types');
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
const importing = /(?<=from ')(\.{1,2}\/[^']+)\.ts(?=')/g;
const options = [
	'--ignoreConfig',
	...[
		'--declaration',
		'--emitDeclarationOnly',
		'--strict',
		'--verbatimModuleSyntax',
		'--allowImportingTsExtensions',
	],
	...['--target', 'es2023', '--module', 'nodenext', '--types', 'node'],
	...['--rootDir', '.', '--outDir', written],
];

/** Files below `server/` are stored directly in the package's folders. */
const placeOf = (file) => file.replace(/^server\//, '');
const leadingToServer = /(?<=from ')((?:\.\.\/)+)server\//g;

const lspImport = /import type \{([^}]*)\} from 'vscode-languageserver-protocol'/g;

/** The file with the types of LSP, in the folder of the contract. */
const lspFile = 'protocol/lspTypes';

/**
 * Writes the declarations of `entries` and of everything that they import into a folder. Returns the entries' names there.
 * @param entries sources of the project, without their ending
 */
export async function writeDeclarations(entries, folder) {
	await rm(written, { recursive: true, force: true });
	const sources = entries.map((entry) => `${entry}.ts`);
	const { status } = spawnSync(process.execPath, [tsc, ...options, ...sources], {
		cwd: root,
		stdio: 'inherit',
	});
	if (status !== 0) throw new Error('the types of the package could not be written');
	const reached = new Map();
	for (const entry of entries) await reach(`${entry}.d.ts`, reached);
	const files = withLspTypes(new Map([...reached].map(([source, text]) => [placeOf(source), text])));
	for (const [file, text] of files) {
		await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
		await writeFile(path.join(folder, file), text);
	}
	return entries.map(placeOf);
}

/** Returns the files, with a separate file for the types of LSP that they import from a package. */
function withLspTypes(files) {
	const names = new Set();
	const local = [...files].map(([file, text]) => {
		const relative = path.relative(path.dirname(file), `${lspFile}.js`);
		const specifier = relative.startsWith('.') ? relative : `./${relative}`;
		const replaced = text.replaceAll(lspImport, (_, imported) => {
			for (const name of imported.split(',')) if (name.trim() !== '') names.add(name.trim());
			return `import type {${imported}} from '${specifier}'`;
		});
		return [file, replaced];
	});
	return new Map([...local, [`${lspFile}.d.ts`, `${lspTypes(names)}\n`]]);
}

/** Reads a declaration file and everything that it imports into `reached`. */
async function reach(file, reached) {
	if (reached.has(file)) return;
	const text = await readFile(path.join(written, file), 'utf8');
	reached.set(file, text.replace(importing, '$1.js').replace(leadingToServer, '$1'));
	for (const [, imported] of text.matchAll(importing)) {
		await reach(`${path.join(path.dirname(file), imported)}.d.ts`, reached);
	}
}
