/** Writes the package's name from package.json into pages and examples that import the package. `--check` only compares. */

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { writeGeneratedFiles } from './generatedFiles.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Files that import the package by its name, and the compiler settings that map this name to the sources. */
const files = ['README.md', 'docs/kit.md', 'examples/loop.ts', 'tsconfig.json'];
/** Matches the package's name in an import or as a key of `paths`, with or without scope and entry point. */
const packageNamePattern = /(?<=from '|\t")(?:@[\w.-]{1,100}\/)?contextd(?=(?:\/[\w-]{1,40})?(?:'|": \[))/g;

const { name } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
const texts = files.map(async (file) => {
	const text = await readFile(`${root}/${file}`, 'utf8');
	return [file, text.replace(packageNamePattern, name)];
});
await writeGeneratedFiles(Object.fromEntries(await Promise.all(texts)));
