/** Writes generated files, or checks that they are current. */

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes texts to files, given by their paths in the checkout. With `--check` on the command line, writes nothing and fails
 * if a file has another text.
 * @param script the script of package.json that writes the files
 */
export async function writeGeneratedFiles(texts, script = 'docs') {
	for (const [name, text] of Object.entries(texts)) {
		const file = `${root}/${name}`;
		if (!process.argv.includes('--check')) await writeFile(file, text);
		else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
			process.stderr.write(`${name} is outdated: run npm run ${script}\n`);
			process.exitCode = 1;
		}
	}
}
