/** Writes the types of the extension's API as one file for other extensions to copy: it imports only `vscode`. */

import { writeFile } from 'node:fs/promises';
import { generateDeclarations } from '../scripts/declarations.mjs';

const entry = 'client-vscode/src/api/api';
const declarationPattern =
	/(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^export (?:interface|type) (\w+)[\s\S]*?(?=\n(?:\/\*\*|export |import )|\n?$(?![\s\S]))/gm;

/** Returns pairs of name and declaration for each interface and type that a declaration file exports. */
function listDeclarations(text) {
	return [...text.matchAll(declarationPattern)].map(([declaration, name]) => [name, declaration.trim()]);
}

/** Returns `names` and all names that their declarations use, directly or indirectly, in the order of appearance. */
function listUsedNames(names, declarations) {
	const usedNames = new Set(names);
	for (const name of usedNames) {
		for (const [word] of declarations.get(name).matchAll(/\b[A-Z]\w*/g)) {
			if (declarations.has(word)) usedNames.add(word);
		}
	}
	return [...usedNames];
}

/** Writes the types to `outfile`. */
export async function writeApiTypes(outfile) {
	const files = await generateDeclarations([entry], 'node,vscode');
	const text = files.get(`${entry}.d.ts`);
	const declarations = new Map([...files.values()].flatMap(listDeclarations));
	const apiNames = listDeclarations(text).map(([name]) => name);
	const [about] = /^\/\*\*(?:(?!\*\/)[\s\S])*\*\//.exec(text) ?? [''];
	const [editorImport] = /^import type .* from 'vscode';$/m.exec(text) ?? [''];
	const types = listUsedNames(apiNames, declarations).map((name) => declarations.get(name));
	await writeFile(outfile, `${[about, editorImport, ...types].join('\n\n')}\n`);
}
