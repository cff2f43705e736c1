/** Runs a benchmark of `test/bench/` by its name: `npm run bench -- counting`. Without a name it lists them. */

import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = (await readdir(`${root}/test/bench`))
	.filter((file) => file.endsWith('.ts'))
	.map((file) => file.slice(0, -'.ts'.length));
const [name, ...rest] = process.argv.slice(2);

if (!names.includes(name)) {
	console.error(`npm run bench -- NAME, where NAME is one of: ${names.join(', ')}`);
	process.exit(2);
}

// Inside the project, so that packages resolve from there.
const folder = `${root}/node_modules/.cache/contextd`;
const outfile = `${folder}/bench-${name}.mjs`;
await mkdir(folder, { recursive: true });
await build({
	entryPoints: [`${root}/test/bench/${name}.ts`],
	outfile,
	bundle: true,
	platform: 'node',
	target: 'node20.19',
	format: 'esm',
	packages: 'external',
	logLevel: 'warning',
});
const { status } = spawnSync(process.execPath, ['--expose-gc', outfile, ...rest], {
	cwd: root,
	stdio: 'inherit',
});
process.exit(status ?? 1);
