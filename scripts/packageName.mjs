/**
 * Writes the package's name, as package.json has it, into the pages and examples that import the package. With
 * `--check`, writes nothing and fails if one of them has another name.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Files that import the package by its name, and the paths that the type checker reads instead. */
const files = ['README.md', 'docs/kit.md', 'examples/loop.ts', 'tsconfig.json'];
/** The package in an import or as a key of `paths`, with or without a scope, and with or without an entry point. */
const specifier = /(?<=from '|\t")(?:@[\w.-]{1,100}\/)?contextd(?=(?:\/[\w-]{1,40})?(?:'|": \[))/g;

const { name } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
const isCheck = process.argv.includes('--check');
const stale = [];
for (const file of files) {
	const text = await readFile(`${root}/${file}`, 'utf8');
	const named = text.replace(specifier, name);
	if (named === text) continue;
	if (isCheck) stale.push(file);
	else await writeFile(`${root}/${file}`, named);
}
if (stale.length > 0) {
	process.stderr.write(`${stale.join(' and ')} import the package by another name: run npm run docs\n`);
	process.exitCode = 1;
}
