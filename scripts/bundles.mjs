/** The bundles of the package, one per entry point. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

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
	target: `node${leastNode}`,
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
	minify: true,
	define: { __dirname: '""', contextdVersion: JSON.stringify(version) },
	format: 'esm',
	// What is bundled asks for Node's modules as CommonJS does.
	banner: {
		js: "import { createRequire as contextdRequire } from 'node:module'; const require = contextdRequire(import.meta.url);",
	},
};

/** Bundles that are loaded when they are needed, by what a dynamic import names in their place. */
const lazyBundles = {
	'./main.ts': './main.cjs',
	'./proxy.ts': './proxy.cjs',
	'./channelMain.ts': './channel.cjs',
	'./askProvider.ts': './providers.cjs',
	'sql.js': './sqlite.cjs',
};
const lazyBundlesApart = {
	name: 'lazy-bundles-apart',
	setup(builds) {
		builds.onResolve({ filter: /./ }, ({ kind, path: name }) =>
			kind === 'dynamic-import' && name in lazyBundles
				? { path: lazyBundles[name], external: true }
				: undefined,
		);
	},
};

/**
 * Modules of Node that are loaded when one of their members is first used: together they take 4 to 12 ms, and most starts
 * use none of them.
 */
const lazyBuiltins = {
	name: 'lazy-builtins',
	setup(builds) {
		builds.onResolve(
			{ filter: /^(?:node:)?(?:crypto|v8|worker_threads|zlib)$/ },
			// An `import()` is late already.
			({ kind, path: name, namespace }) =>
				namespace === 'lazy' || kind === 'dynamic-import'
					? { path: name, external: true }
					: { path: name, namespace: 'lazy' },
		);
		builds.onLoad({ filter: /./, namespace: 'lazy' }, async ({ path: name }) => {
			const members = Object.keys(await import(name)).filter((member) => member !== 'default');
			return {
				contents: `for (const member of ${JSON.stringify(members)}) Object.defineProperty(exports, member, {
					enumerable: true,
					get: () => require(${JSON.stringify(name)})[member],
				});`,
			};
		});
	},
};

/** The AI SDK loads zod with its texts in forty languages, 0.3 MB, and shows none of them. */
const zodInEnglish = {
	name: 'zod-in-english',
	setup(builds) {
		builds.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer, path: name }) =>
			/[\\/]zod[\\/]/.test(importer)
				? { path: path.join(path.dirname(importer), path.dirname(name), 'en.js') }
				: undefined,
		);
	},
};

/** The program: an `import()` becomes a `require` that is called as late, which spares the loader of ES modules. */
const program = {
	...common,
	minify: true,
	plugins: [jsonAsText, lazyBundlesApart, lazyBuiltins],
	supported: { 'dynamic-import': false },
	// Its CommonJS loads its parts in a way that no bundler follows.
	alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
};

/**
 * Bundles entries so that what they share, and what they load by `import()`, is in files of its own. esbuild splits ES
 * modules alone, and CommonJS starts faster, so the files are converted afterwards. Returns esbuild's result.
 */
async function buildSplit({ write, supported, ...options }) {
	const split = await build({ ...options, write: false, format: 'esm', splitting: true });
	const { target, minify } = options;
	const converted = { format: 'cjs', platform: 'node', target, minify, supported };
	for (const { path: file, text } of write ? split.outputFiles : []) {
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, (await transform(text, converted)).code);
	}
	return split;
}

/** Bundles into `dist/`, or nowhere where `write` is false. Gives esbuild's metafile of each bundle. */
export async function bundlePackage({ write }) {
	const built = await Promise.all([
		build({
			...program,
			write,
			entryPoints: ['server/contextd.ts'],
			outfile: 'dist/contextd.cjs',
			external: ['./status.cjs', './statusline.cjs', './hook.cjs'],
			// Any Node that somebody may still have must be able to say that it is too old.
			target: 'node12',
			banner: { js: '#!/usr/bin/env node' },
			define: { contextdLeastNode: JSON.stringify(leastNode) },
		}),
		buildSplit({
			...program,
			write,
			entryPoints: {
				main: 'server/main.ts',
				transcriptThread: 'server/node/transcript/thread/transcriptThread.ts',
			},
			outdir: 'dist',
			outExtension: { '.js': '.cjs' },
			chunkNames: 'main-[hash]',
			define: { contextdVersion: JSON.stringify(version) },
		}),
		...Object.entries({
			proxy: 'server/proxy.ts',
			channel: 'server/channelMain.ts',
			status: 'server/status/statusMain.ts',
			statusline: 'server/status/statuslineMain.ts',
			hook: 'server/hooks/hookMain.ts',
			sqlite: 'sql.js',
		}).map(([name, entry]) =>
			build({
				...program,
				write,
				entryPoints: [entry],
				outfile: `dist/${name}.cjs`,
				define: { contextdVersion: JSON.stringify(version) },
			}),
		),
		build({
			...program,
			write,
			entryPoints: ['server/node/models/askProvider.ts'],
			outfile: 'dist/providers.cjs',
			plugins: [...program.plugins, zodInEnglish],
			alias: { ...program.alias, 'node-fetch': './server/node/models/platformFetch.ts' },
		}),
		// An uncaught error prints the line that threw: what others build on stays readable.
		buildSplit({
			...common,
			write,
			entryPoints: {
				'client/index': 'server/client/index.ts',
				'protocol/index': 'server/protocol/index.ts',
				'kit/index': 'kit/node/index.ts',
				'ai-sdk/index': 'kit/aiSdk/index.ts',
			},
			outdir: 'dist/cjs',
			define: { contextdVersion: JSON.stringify(version) },
			chunkNames: 'shared/[hash]',
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
	]);
	return built.map(({ metafile }) => metafile);
}
