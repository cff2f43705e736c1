/**
 * Builds the package into `dist/` (the command, the program, the token tables, the exported modules with their types) and the
 * extension, and writes the licence notices of both.
 */

import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { buildExtension } from '../client-vscode/build.mjs';
import { bundlePackage } from './bundles.mjs';
import { buildClaudePlugin } from './claudePlugin.mjs';
import { writeDeclarations } from './declarations.mjs';
import { writeNotices } from './notices.mjs';
import { writeRanks } from './ranks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

await mkdir(`${root}/dist`, { recursive: true });
// Files of an earlier build must not get into the package. `writeRanks` replaces outdated rank tables.
const outdatedFiles = (await readdir(`${root}/dist`)).filter((name) => !/^ranks-.*\.br$/.test(name));
await Promise.all(outdatedFiles.map((name) => rm(`${root}/dist/${name}`, { recursive: true })));
const [bundles, claudePlugin] = await Promise.all([
	bundlePackage({ write: true }),
	buildClaudePlugin(`${root}/dist/claude`),
	writeRanks(`${root}/dist`),
	writeSqlite(),
]);
await writeModules();
const extension = await buildExtension({ root });
await writeNotices([...bundles, claudePlugin, ...extension]);
await linkCommand();

/** Writes types, and ES modules that re-export the CommonJS modules, so that each module and each type exists once. */
async function writeModules() {
	const [cjs, esm] = [`${root}/dist/cjs`, `${root}/dist/esm`];
	const entries = ['client/index', 'protocol/index', 'kit/index', 'ai-sdk/index'];
	const sources = ['server/client/index', 'server/protocol/index', 'kit/node/index', 'kit/aiSdk/index'];
	const types = await writeDeclarations(sources, cjs);
	await writeFile(`${cjs}/package.json`, '{ "type": "commonjs" }\n');
	const files = [...entries.map((entry) => `${entry}.js`), ...types.map((entry) => `${entry}.d.ts`)];
	await Promise.all(
		files.map(async (file) => {
			const depth = '../'.repeat(file.split('/').length);
			const module = file.replace(/\.d\.ts$/, '.js');
			await mkdir(dirname(`${esm}/${file}`), { recursive: true });
			await writeFile(`${esm}/${file}`, `export * from '${depth}cjs/${module}';\n`);
		}),
	);
}

/** Writes the WebAssembly of SQLite, compressed to a third, next to `sqlite.cjs`, which reads it. */
async function writeSqlite() {
	const wasm = await readFile(`${root}/node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm`);
	await writeFile(`${root}/dist/sqlite.wasm.br`, await promisify(brotliCompress)(wasm));
}

/** Links the command to the folder in which `npx contextd` looks first, so that `npx` does not install the package. */
async function linkCommand() {
	await chmod(`${root}/dist/contextd.cjs`, 0o755);
	if (process.platform === 'win32') return;
	const link = `${root}/node_modules/.bin/contextd`;
	await mkdir(`${root}/node_modules/.bin`, { recursive: true });
	await rm(link, { force: true });
	await symlink('../../dist/contextd.cjs', link);
}
