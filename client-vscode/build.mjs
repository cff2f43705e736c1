/** Builds the extension: its script, the view, and the daemon beside them. */

import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));

const source = (name) => path.join(here, 'src', name);
const common = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning' };

/**
 * Bundles into `outdir`. The daemon and what it needs beside it are taken from `dist/` of `root`, where they must have
 * been built before.
 */
export async function buildExtension({ root, outdir = path.join(here, 'dist') }) {
	await rm(outdir, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	await Promise.all([
		buildForHost('extension.ts', path.join(outdir, 'extension.cjs')),
		buildForHost('client.ts', path.join(outdir, 'client.cjs')),
		build({
			...common,
			entryPoints: [source('view/page/main.ts')],
			outfile: path.join(outdir, 'view.js'),
			platform: 'browser',
			format: 'iife',
			target: 'es2022',
		}),
		build({
			...common,
			entryPoints: [source('view/page/view.css')],
			outfile: path.join(outdir, 'view.css'),
		}),
	]);
	await copyDaemon(path.join(root, 'dist'), outdir);
}

/** Bundles a source file for the editor's extension host. */
export async function buildForHost(name, outfile) {
	await build({
		...common,
		entryPoints: [source(name)],
		outfile,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		external: ['vscode'],
		conditions: ['node'],
		plugins: [clientApart],
		supported: { 'dynamic-import': false },
	});
}

/** The language client is most of the code: it stays in a file of its own, read when it is first needed. */
const clientApart = {
	name: 'client-apart',
	setup(builds) {
		builds.onResolve({ filter: /^\.\/client\.ts$/ }, ({ kind }) =>
			kind === 'dynamic-import' ? { path: './client.cjs', external: true } : undefined,
		);
	},
};

async function copyDaemon(from, to) {
	const names = await readdir(from);
	await copyFile(path.join(from, 'main.cjs'), path.join(to, 'daemon.cjs'));
	const beside = names.filter((name) => /^ranks-.*\.br$|^THIRD-PARTY/.test(name));
	await Promise.all(beside.map((name) => copyFile(path.join(from, name), path.join(to, name))));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	await buildExtension({ root: path.join(here, '..') });
}
