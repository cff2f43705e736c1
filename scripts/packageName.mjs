/**
 * Writes the package's name from package.json into pages and examples that import the package. With `--check`, writes nothing and
 * fails if one of them uses another name.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Files that import the package by its name, and the compiler settings that map this name to the sources. */
const files = ['README.md', 'docs/kit.md', 'examples/loop.ts', 'tsconfig.json'];
/** Matches the package's name in an import or as a key of `paths`, with or without scope and entry point. */
const packageNamePattern = /(?<=from '|\t")(?:@[\w.-]{1,100}\/)?contextd(?=(?:\/[\w-]{1,40})?(?:'|": \[))/g;

const { name } = JSON.parse(await readFile(`${root}/package.json`, 'utf8'));
const isCheck = process.argv.includes('--check');
const outdated = [];
for (const file of files) {
	const text = await readFile(`${root}/${file}`, 'utf8');
	const renamed = text.replace(packageNamePattern, name);
	if (renamed === text) continue;
	if (isCheck) outdated.push(file);
	else await writeFile(`${root}/${file}`, renamed);
}
if (outdated.length > 0) {
	process.stderr.write(`${outdated.join(' and ')} import the package by another name: run npm run docs\n`);
	process.exitCode = 1;
}
