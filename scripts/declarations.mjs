/**
 * Writes the declaration files of the package's exports, which TypeScript generates from the sources. Imports end in `.js`, and
 * files that users cannot reach are left out.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractLspTypes } from './lspTypes.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
const importPattern = /(?<=from ')(\.{1,2}\/[^']+)\.ts(?=')/g;
const options = [
	'--ignoreConfig',
	...['--declaration', '--emitDeclarationOnly', '--strict', '--verbatimModuleSyntax'],
	...['--allowImportingTsExtensions', '--target', 'es2023', '--lib', 'es2023,es2024.string'],
	...['--module', 'nodenext', '--rootDir', '.'],
];

/**
 * Returns the text of the declaration files of sources and of all files that they import, by path. The imports end in `.js`.
 * @param entries paths of the sources from the root, without their ending
 * @param types the packages with global types, separated by commas
 */
export async function generateDeclarations(entries, types) {
	const folder = path.join(root, 'node_modules/.cache/contextd', `types-${process.pid}`);
	try {
		const sources = entries.map((entry) => `${entry}.ts`);
		const args = [tsc, ...options, '--types', types, '--outDir', folder, ...sources];
		const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
		if (status !== 0) throw new Error(`the types of ${entries.join(', ')} could not be generated`);
		const declarations = new Map();
		for (const entry of entries) await readReachable(folder, `${entry}.d.ts`, declarations);
		return declarations;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Reads a declaration file below `folder`, and all files that it imports, into `declarations`. */
async function readReachable(folder, file, declarations) {
	if (declarations.has(file)) return;
	const text = await readFile(path.join(folder, file), 'utf8');
	declarations.set(file, text.replace(importPattern, '$1.js'));
	for (const [, imported] of text.matchAll(importPattern))
		await readReachable(folder, `${path.join(path.dirname(file), imported)}.d.ts`, declarations);
}

/** Returns the path of a file in the package, which has no folder `server/`. */
const toPackagePath = (file) => file.replace(/^server\//, '');
const serverPathPattern = /(?<=from ')((?:\.\.\/)+)server\//g;

const lspImportPattern = /import type \{([^}]*)\} from 'vscode-languageserver-protocol'/g;

/** Path of the file with the types of LSP, in the folder of the contract. */
const lspFile = 'protocol/lspTypes';

/**
 * Writes the declarations of `entries`, and of all files that they import, into a folder. Returns the paths of the entries there.
 * @param entries paths of sources, without their ending
 */
export async function writeDeclarations(entries, folder) {
	const generated = [...(await generateDeclarations(entries, 'node'))].map(([file, text]) => [
		toPackagePath(file),
		text.replace(serverPathPattern, '$1'),
	]);
	const files = withLspTypes(generated);
	for (const [file, text] of files) {
		await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
		await writeFile(path.join(folder, file), text);
	}
	return entries.map(toPackagePath);
}

/** Adds a file with the types of LSP that the files use, and makes the files import that file instead of a package. */
function withLspTypes(files) {
	const names = new Set();
	const withLocalImports = files.map(([file, text]) => {
		const relative = path.relative(path.dirname(file), `${lspFile}.js`);
		const specifier = relative.startsWith('.') ? relative : `./${relative}`;
		const localText = text.replaceAll(lspImportPattern, (_, imported) => {
			for (const name of imported.split(',')) if (name.trim() !== '') names.add(name.trim());
			return `import type {${imported}} from '${specifier}'`;
		});
		return [file, localText];
	});
	return new Map([...withLocalImports, [`${lspFile}.d.ts`, `${extractLspTypes(names)}\n`]]);
}
