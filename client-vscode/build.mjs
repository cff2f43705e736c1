/** Builds the extension: its script, the view, and the daemon beside them. */

import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * Bundles into `outdir`. The daemon and what it needs beside it are taken from `dist/` of `root`, where they must have
 * been built before.
 */
export async function buildExtension({ root, outdir = path.join(here, 'dist') }) {
	await rm(outdir, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	const common = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning' };
	await Promise.all([
		build({
			...common,
			entryPoints: [path.join(here, 'src/extension.ts')],
			outfile: path.join(outdir, 'extension.cjs'),
			platform: 'node',
			format: 'cjs',
			target: 'node20',
			external: ['vscode'],
			conditions: ['node'],
		}),
		build({
			...common,
			entryPoints: [path.join(here, 'src/view/page/main.ts')],
			outfile: path.join(outdir, 'view.js'),
			platform: 'browser',
			format: 'iife',
			target: 'es2022',
		}),
		build({
			...common,
			entryPoints: [path.join(here, 'src/view/page/view.css')],
			outfile: path.join(outdir, 'view.css'),
		}),
	]);
	await copyDaemon(path.join(root, 'dist'), outdir);
}

async function copyDaemon(from, to) {
	const names = await readdir(from);
	await copyFile(path.join(from, 'contextd.cjs'), path.join(to, 'daemon.cjs'));
	const beside = names.filter((name) => /^ranks-.*\.br$|^THIRD-PARTY/.test(name));
	await Promise.all(beside.map((name) => copyFile(path.join(from, name), path.join(to, name))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await buildExtension({ root: path.join(here, '..') });
}
