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
const generatedFolder = path.join(root, 'node_modules/.cache/contextd/types');
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
const importPattern = /(?<=from ')(\.{1,2}\/[^']+)\.ts(?=')/g;
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
	...['--rootDir', '.', '--outDir', generatedFolder],
];

/** Returns the path of a file in the package, which has no folder `server/`. */
const packagePath = (file) => file.replace(/^server\//, '');
const serverPathPattern = /(?<=from ')((?:\.\.\/)+)server\//g;

const lspImportPattern = /import type \{([^}]*)\} from 'vscode-languageserver-protocol'/g;

/** Path of the file with the types of LSP, in the folder of the contract. */
const lspFile = 'protocol/lspTypes';

/**
 * Writes the declarations of `entries`, and of all files that they import, into a folder. Returns the paths of the entries there.
 * @param entries paths of sources, without their ending
 */
export async function writeDeclarations(entries, folder) {
	await rm(generatedFolder, { recursive: true, force: true });
	const sources = entries.map((entry) => `${entry}.ts`);
	const { status } = spawnSync(process.execPath, [tsc, ...options, ...sources], {
		cwd: root,
		stdio: 'inherit',
	});
	if (status !== 0) throw new Error('the types of the package could not be written');
	const reached = new Map();
	for (const entry of entries) await readReachable(`${entry}.d.ts`, reached);
	const files = withLspTypes(new Map([...reached].map(([source, text]) => [packagePath(source), text])));
	for (const [file, text] of files) {
		await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
		await writeFile(path.join(folder, file), text);
	}
	return entries.map(packagePath);
}

/** Adds a file with the types of LSP that the files use, and makes the files import that file instead of a package. */
function withLspTypes(files) {
	const names = new Set();
	const local = [...files].map(([file, text]) => {
		const relative = path.relative(path.dirname(file), `${lspFile}.js`);
		const specifier = relative.startsWith('.') ? relative : `./${relative}`;
		const replaced = text.replaceAll(lspImportPattern, (_, imported) => {
			for (const name of imported.split(',')) if (name.trim() !== '') names.add(name.trim());
			return `import type {${imported}} from '${specifier}'`;
		});
		return [file, replaced];
	});
	return new Map([...local, [`${lspFile}.d.ts`, `${extractLspTypes(names)}\n`]]);
}

/** Reads a declaration file, and all files that it imports, into `reached`. */
async function readReachable(file, reached) {
	if (reached.has(file)) return;
	const text = await readFile(path.join(generatedFolder, file), 'utf8');
	reached.set(file, text.replace(importPattern, '$1.js').replace(serverPathPattern, '$1'));
	for (const [, imported] of text.matchAll(importPattern)) {
		await readReachable(`${path.join(path.dirname(file), imported)}.d.ts`, reached);
	}
}
