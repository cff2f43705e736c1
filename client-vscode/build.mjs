/** Builds the extension: its script, its pages, and a copy of the daemon. */

import { copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { writeApiTypes } from './types.mjs';

const extensionFolder = path.dirname(fileURLToPath(import.meta.url));

const resolveSource = (name) => path.join(extensionFolder, 'src', name);
const common = {
	absWorkingDir: path.join(extensionFolder, '..'),
	bundle: true,
	minify: true,
	legalComments: 'none',
	logLevel: 'warning',
	metafile: true,
	// Bundlers cannot follow the imports of jsonc-parser's CommonJS version.
	alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
};

/**
 * Bundles into `outdir`, and copies the daemon and its files from `dist/` of `root`, where they must have been built.
 * Returns esbuild's metafile of each bundle.
 */
export async function buildExtension({ root, outdir = path.join(extensionFolder, 'dist') }) {
	await rm(outdir, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	const metafiles = await bundleExtension({ outdir, write: true });
	await Promise.all([
		copyDaemon(path.join(root, 'dist'), path.join(outdir, 'daemon')),
		writeApiTypes(path.join(outdir, 'api.d.ts')),
	]);
	return metafiles;
}

/** Bundles the scripts and styles into `outdir`, or only in memory if `write` is false. Returns esbuild's metafiles. */
export async function bundleExtension({ outdir = path.join(extensionFolder, 'dist'), write }) {
	const bundles = await Promise.all([
		bundleForHost('extension.ts', path.join(outdir, 'extension.cjs'), write),
		bundleForHost('daemon/client.ts', path.join(outdir, 'client.cjs'), write),
		bundlePage('view', outdir, write),
		bundlePage('card', outdir, write),
	]);
	return bundles.map(({ metafile }) => metafile);
}

/** Bundles the script and the style of a page into `outdir`. */
function bundlePage(name, outdir, write) {
	return build({
		...common,
		write,
		entryPoints: ['main.ts', `${name}.css`].map((file) => ({
			in: resolveSource(`${name}/page/${file}`),
			out: name,
		})),
		outdir,
		platform: 'browser',
		format: 'iife',
		target: 'es2022',
	});
}

/** Bundles a source file for the editor's extension host. */
export function bundleForHost(name, outfile, write = true) {
	return build({
		...common,
		write,
		entryPoints: [resolveSource(name)],
		outfile,
		platform: 'node',
		format: 'cjs',
		target: 'node20',
		external: ['vscode'],
		conditions: ['node'],
		plugins: [separateClient],
		supported: { 'dynamic-import': false },
	});
}

/** Keeps the language client, which is most of the code, in a separate file that is loaded when first needed. */
const separateClient = {
	name: 'client-apart',
	setup(builds) {
		builds.onResolve({ filter: /^\.\/client\.ts$/ }, ({ kind }) =>
			kind === 'dynamic-import' ? { path: './client.cjs', external: true } : undefined,
		);
	},
};

/** Bundles of the daemon and its threads. */
const daemonEntries = ['main.cjs', 'transcriptThread.cjs', 'recorderThread.cjs'];
/** Matches further files of the daemon: bundles that it loads, and compressed tables and WebAssembly. */
const otherFilePattern = /^(providers|sqlite)\.cjs$|\.(bin|wasm)\.br$/;
/** The terminal commands, which the extension never runs. */
const terminalCommands = 'command.cjs';
const requirePattern = /\brequire\("\.\/([\w-]+\.cjs)"\)/g;

async function copyDaemon(from, to) {
	await mkdir(to, { recursive: true });
	const otherFiles = (await readdir(from)).filter((name) => otherFilePattern.test(name));
	const names = new Set([...daemonEntries, ...otherFiles]);
	// The loop over the set also visits items that are added during the loop.
	for (const name of names) {
		if (!name.endsWith('.cjs')) continue;
		for (const [, loaded] of (await readFile(path.join(from, name), 'utf8')).matchAll(requirePattern)) {
			if (loaded !== terminalCommands) names.add(loaded);
		}
	}
	await Promise.all([...names].map((name) => copyFile(path.join(from, name), path.join(to, name))));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	await buildExtension({ root: path.join(extensionFolder, '..') });
