/** What the package holds, bundled: its command, its program, what it asks models with, its status lines, and the modules that it exports. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { version, engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const leastNode = engines.node.replace('>=', '');
/** Tables as text that is parsed as JSON: many times as fast to load as the same table as JavaScript. */
const jsonAsText = {
	name: 'json-as-text',
	setup(builds) {
		builds.onLoad({ filter: /\.json$/ }, async (file) => {
			const text = JSON.stringify(JSON.parse(await readFile(file.path, 'utf8')));
			return { contents: `export default JSON.parse(${JSON.stringify(text)})`, loader: 'js' };
		});
	},
};

const common = {
	absWorkingDir: root,
	bundle: true,
	platform: 'node',
	format: 'cjs',
	minifySyntax: true,
	minifyWhitespace: true,
	// All licences stand in THIRD-PARTY-NOTICES.txt.
	legalComments: 'none',
	logLevel: 'warning',
	metafile: true,
	plugins: [jsonAsText],
};

/**
 * One file that an agent loads, a module by its words alone: no `package.json` beside it says so. It knows by itself of no
 * folder that it was bundled to.
 */
const plugin = {
	...common,
	target: `node${leastNode}`,
	define: { __dirname: '""' },
	format: 'esm',
	// What is bundled asks for Node's modules as CommonJS does.
	banner: {
		js: "import { createRequire as contextdRequire } from 'node:module'; const require = contextdRequire(import.meta.url);",
	},
};

/** The program, as modules that share their code in files of their own. What is bundled asks for Node's modules as CommonJS does. */
const program = {
	...common,
	format: 'esm',
	minify: true,
	target: `node${leastNode}`,
	outExtension: { '.js': '.mjs' },
	banner: {
		js: "import { createRequire as contextdRequire } from 'node:module'; const require = contextdRequire(import.meta.url), __dirname = import.meta.dirname;",
	},
};

/** Source files that are entries of their own bundles: a dynamic import of one loads that bundle. */
const bundles = { 'main.ts': './main.mjs', 'askProvider.ts': './providers.mjs' };
const bundlesApart = {
	name: 'bundles-apart',
	setup(builds) {
		builds.onResolve({ filter: /\.ts$/ }, ({ kind, path: file }) => {
			const bundle = kind === 'dynamic-import' ? bundles[path.basename(file)] : undefined;
			return bundle && { path: bundle, external: true };
		});
	},
};

/** Bundles into `dist/`, or nowhere where `write` is false. Gives esbuild's metafile of each bundle. */
export async function bundlePackage({ write }) {
	const built = await Promise.all([
		build({
			...common,
			write,
			entryPoints: ['server/contextd.ts'],
			outfile: 'dist/contextd.cjs',
			external: ['./status.cjs', './statusline.cjs', './hook.cjs'],
			plugins: [bundlesApart],
			// Any Node that somebody may still have must be able to say that it is too old.
			target: 'node12',
			// Only a Node that is new enough gets as far as loading the program.
			supported: { 'dynamic-import': true },
			banner: { js: '#!/usr/bin/env node' },
			define: { contextdLeastNode: JSON.stringify(leastNode) },
		}),
		build({
			...program,
			write,
			entryPoints: {
				main: 'server/main.ts',
				transcriptThread: 'server/node/transcript/thread/transcriptThread.ts',
			},
			outdir: 'dist',
			splitting: true,
			chunkNames: 'main-[hash]',
			plugins: [jsonAsText, bundlesApart],
			define: { contextdVersion: JSON.stringify(version) },
		}),
		build({
			...program,
			write,
			entryPoints: { providers: 'server/node/models/askProvider.ts' },
			outdir: 'dist',
			alias: { 'node-fetch': './server/node/models/platformFetch.ts' },
		}),
		build({
			...common,
			write,
			entryPoints: ['server/client/index.ts', 'server/protocol/index.ts'],
			outbase: 'server',
			outdir: 'dist/cjs',
			target: `node${leastNode}`,
		}),
		build({
			...common,
			write,
			entryPoints: { 'kit/index': 'kit/node/index.ts', 'ai-sdk/index': 'kit/aiSdk/index.ts' },
			outdir: 'dist/cjs',
			target: `node${leastNode}`,
		}),
		build({
			...plugin,
			write,
			entryPoints: ['client-opencode/contextd.ts'],
			outfile: 'dist/opencode/contextd.js',
		}),
		build({
			...plugin,
			write,
			entryPoints: ['client-pi/contextd.ts'],
			outfile: 'dist/pi/contextd.js',
		}),
		...['status/status', 'status/statusline', 'hooks/hook'].map((name) =>
			build({
				...common,
				write,
				minifyIdentifiers: true,
				entryPoints: [`server/${name}Main.ts`],
				outfile: `dist/${path.basename(name)}.cjs`,
				target: `node${leastNode}`,
			}),
		),
	]);
	return built.map(({ metafile }) => metafile);
}
