/** Writes the types of the extension's API as one file for other extensions to copy: it imports only `vscode`. */

import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
const entry = 'client-vscode/src/api/api';
const options = [
	'--ignoreConfig',
	...['--declaration', '--emitDeclarationOnly', '--strict', '--verbatimModuleSyntax'],
	...['--allowImportingTsExtensions', '--target', 'es2023', '--module', 'nodenext'],
	...['--types', 'node,vscode', '--rootDir', root],
];
const declared =
	/(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (?:interface|type) (\w+)[\s\S]*?(?=\n(?:\/\*\*|export |import )|\n?$(?![\s\S]))/gm;

/** Returns every interface and type that a declaration file and its imports declare, by name. */
async function readDeclarations(file, found = new Map(), seen = new Set()) {
	if (seen.has(file)) return found;
	seen.add(file);
	const text = await readFile(file, 'utf8');
	for (const [declaration, name] of text.matchAll(declared)) found.set(name, declaration.trim());
	for (const [, imported] of text.matchAll(/from '(\.[^']+)\.ts'/g))
		await readDeclarations(path.resolve(path.dirname(file), `${imported}.d.ts`), found, seen);
	return found;
}

/** Returns the names that `first` needs, directly or indirectly, in the order of their appearance. */
function listNeeded(first, declarations) {
	const needed = new Set(first);
	for (const name of needed) {
		for (const [word] of declarations.get(name).matchAll(/\b[A-Z]\w*/g)) {
			if (declarations.has(word)) needed.add(word);
		}
	}
	return [...needed];
}

/** Writes the types to `outfile`. */
export async function writeApiTypes(outfile) {
	const written = path.join(root, 'node_modules/.cache/contextd', `api-types-${process.pid}`);
	try {
		const source = path.join(root, `${entry}.ts`);
		const { status } = spawnSync(process.execPath, [tsc, ...options, '--outDir', written, source], {
			cwd: root,
			stdio: 'inherit',
		});
		if (status !== 0) throw new Error('the types of the API could not be written');
		const file = path.join(written, `${entry}.d.ts`);
		const text = await readFile(file, 'utf8');
		const declarations = await readDeclarations(file);
		const own = [...text.matchAll(declared)].map(([, name]) => name);
		const [about] = /^\/\*\*(?:(?!\*\/)[\s\S])*\*\//.exec(text) ?? [''];
		const [editor] = /^import type .* from 'vscode';$/m.exec(text) ?? [''];
		const parts = listNeeded(own, declarations).map((name) => declarations.get(name));
		await writeFile(outfile, `${[about, editor, ...parts].join('\n\n')}\n`);
	} finally {
		await rm(written, { recursive: true, force: true });
	}
}
