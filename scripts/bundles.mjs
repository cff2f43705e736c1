/** Builds the bundles of the package, one for each entry point. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { version, engines } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const minNode = engines.node.replace('>=', '');
/** Embeds tables as JSON text, which loads many times faster than JavaScript. */
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
	target: `node${minNode}`,
	// Licences are not repeated in bundles, because THIRD-PARTY-NOTICES.txt contains all of them.
	legalComments: 'none',
	logLevel: 'warning',
	metafile: true,
	plugins: [jsonAsText],
	define: { contextdVersion: JSON.stringify(version) },
	// Bundlers cannot follow the imports of jsonc-parser's CommonJS version.
	alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
};

/**
 * Options of a plugin: a single file that an agent loads. No `package.json` says that the file is a module, so its content must.
 * The file contains no path of the machine that built it.
 */
const plugin = {
	...common,
	minify: true,
	define: { ...common.define, __dirname: '""' },
	format: 'esm',
	// Bundled packages load Node's modules with `require`.
	banner: {
		js: "import { createRequire as contextdRequire } from 'node:module'; const require = contextdRequire(import.meta.url);",
	},
};

/** Bundles that are loaded when needed, by the import that each bundle replaces. */
const lazyBundles = {
	'./main.ts': './main.cjs',
	'./proxy.ts': './proxy.cjs',
	'./channelMain.ts': './channel.cjs',
	'./askProvider.ts': './providers.cjs',
};
/** Keeps SQLite in a separate file, which reads its WebAssembly when it is loaded. */
const separateSqlite = {
	name: 'sqlite-apart',
	setup(builds) {
		builds.onResolve({ filter: /^node-sqlite3-wasm$/ }, ({ kind }) =>
			kind === 'entry-point' ? undefined : { path: './sqlite.cjs', external: true },
		);
		builds.onLoad({ filter: /[\\/]node-sqlite3-wasm\.js$/ }, async (file) => {
			const source = await readFile(file.path, 'utf8');
			const [start] = source.split(';', 1);
			if (!start.startsWith('var Module=')) throw new Error(`${file.path} begins in an unknown way`);
			const wasm = "require('fs').readFileSync(require('path').join(__dirname, 'sqlite.wasm.br'))";
			const contents = `var Module = { wasmBinary: require('zlib').brotliDecompressSync(${wasm}) }${source.slice(start.length)}`;
			return { contents, loader: 'js' };
		});
	},
};
/** Minifies packages in a bundle whose own code stays readable, and leaves out docstrings, which esbuild keeps within classes. */
const readableCode = {
	name: 'readable-code',
	setup(builds) {
		builds.onLoad({ filter: /\.ts$/ }, async (file) => ({
			contents: (await readFile(file.path, 'utf8')).replace(/^\t*\/\*\*[\s\S]*?\*\/\n/gm, ''),
			loader: 'ts',
		}));
		builds.onLoad({ filter: /[\\/]node_modules[\\/].*\.js$/ }, async (file) => {
			const { code } = await transform(await readFile(file.path, 'utf8'), { minify: true });
			return { contents: code, loader: 'js' };
		});
	},
};
/** Loads the bundles of `lazyBundles` from their own files. */
const separateLazyBundles = {
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
 * Loads some of Node's modules when one of their members is first used. Together they take 4 to 12 ms to load, and most starts need
 * none of them.
 */
const lazyBuiltins = {
	name: 'lazy-builtins',
	setup(builds) {
		builds.onResolve(
			{ filter: /^(?:node:)?(?:crypto|(?:fs|stream)\/promises|v8|worker_threads|zlib)$/ },
			// `import()` already loads its module only when needed.
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

const transcripts = path.join(root, 'server/core/transcript/index.ts');

/** Returns, for each name that the transcripts export, the file that declares it. */
async function findTranscriptNames() {
	const exportStatements = [...(await readFile(transcripts, 'utf8')).matchAll(/ from '(.+)'/g)];
	const files = exportStatements.map(([, file]) => path.join(path.dirname(transcripts), file));
	const lists = files.map(async (file) =>
		[...(await readFile(file, 'utf8')).matchAll(/^export (?:\w+ )*?(?:class|const|function\*?) (\w+)/gm)].map(
			([, name]) => [name, file],
		),
	);
	return new Map((await Promise.all(lists)).flat());
}

/**
 * Imports each name of the transcripts from the file that declares it. esbuild assigns whole files to bundles, so the entry
 * of the transcripts would add the readers of all agents to bundles that need one name.
 */
const directTranscripts = {
	name: 'direct-transcripts',
	async setup(builds) {
		const names = await findTranscriptNames();
		builds.onLoad({ filter: /[\\/]server[\\/].*\.ts$/ }, async ({ path: importer }) => {
			if (importer === transcripts) throw new Error('import from the transcripts by names in braces');
			const source = await readFile(importer, 'utf8');
			const contents = source.replace(
				/^import \{([^}]+)\} from '[./a-z]*\/transcript\/index\.ts';/gm,
				(_, list) =>
					list
						.split(',')
						.map((name) => name.trim())
						.filter((name) => name !== '' && !name.startsWith('type '))
						.map((name) => `import { ${name} } from ${JSON.stringify(names.get(name))};`)
						.join(' '),
			);
			return contents === source ? undefined : { contents, loader: 'ts' };
		});
	},
};

/** Removes zod's texts in forty languages (0.3 MB), which the AI SDK loads but never shows. */
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

/** Returns a plugin that replaces the modules with a matching name by one with these contents. */
function replaceModule(name, filter, contents) {
	return {
		name,
		setup(builds) {
			builds.onResolve({ filter }, () => ({ path: name, namespace: name }));
			builds.onLoad({ filter: /./, namespace: name }, () => ({ contents }));
		},
	};
}

/** Removes version 3 of Zod (0.06 MB). The AI SDK only needs it for schemas that are written with it, and contextd sends none. */
const noZod3 = replaceModule('no-zod-3', /^zod\/v3$/, 'export const ZodFirstPartyTypeKind = {};');

/** Removes the provider "gateway" (0.05 MB), to which the AI SDK sends models that are only named. contextd names none. */
const noGateway = replaceModule(
	'no-gateway',
	/^@ai-sdk\/gateway$/,
	`export const GatewayError = { isInstance: () => false };
		export const GatewayAuthenticationError = GatewayError;
		export const [gateway, createGateway] = [];`,
);

/** Removes `debug` (0.01 MB), with which the agent for proxies prints what it does if `DEBUG` is set. */
const noDebug = replaceModule('no-debug', /^debug$/, 'export default () => () => {};');

/** Reads Google's metadata with `JSON` instead of `json-bigint` (0.02 MB), since contextd needs none of its large numbers. */
const plainJson = replaceModule('plain-json', /^json-bigint$/, 'export const { parse, stringify } = JSON;');

/**
 * Removes the JSON Schema validator (0.15 MB) from the MCP SDK. The SDK needs it for answers of users and for the tools of other
 * servers, and contextd's server has neither.
 */
const noSchemaValidator = replaceModule(
	'no-schema-validator',
	/^@modelcontextprotocol\/server\/_shims$/,
	"export { default as process } from 'node:process'; export class DefaultJsonSchemaValidator {}",
);

/** Options of the program's bundles. `import()` becomes a `require` at the same place, which avoids the ES module loader. */
const program = {
	...common,
	minify: true,
	plugins: [jsonAsText, directTranscripts, separateLazyBundles, separateSqlite, lazyBuiltins],
	supported: { 'dynamic-import': false },
};

/**
 * Bundles entries so that shared code and code loaded by `import()` are in separate files. esbuild can split only ES modules, but
 * CommonJS starts faster, so the files are then converted. Returns esbuild's result.
 */
async function buildSplit({ write, supported, ...options }) {
	const split = await build({ ...options, write: false, format: 'esm', splitting: true });
	const { target, minify } = options;
	const conversion = { format: 'cjs', platform: 'node', target, minify, supported };
	for (const { path: file, text } of write ? split.outputFiles : []) {
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, (await transform(text, conversion)).code);
	}
	return split;
}

/** Bundles entries of the program. The names of files with shared code begin with `chunks`. */
function buildProgram(entryPoints, { chunks, write }) {
	return buildSplit({
		...program,
		plugins: [...program.plugins, noSchemaValidator],
		write,
		entryPoints,
		outdir: 'dist',
		outExtension: { '.js': '.cjs' },
		chunkNames: `${chunks}-[hash]`,
	});
}

/** Builds all bundles into `dist/`, or only in memory if `write` is false. Returns esbuild's metafiles. */
export async function bundlePackage({ write }) {
	const built = await Promise.all([
		build({
			...program,
			write,
			entryPoints: ['server/start/contextd.ts'],
			outfile: 'dist/contextd.cjs',
			external: ['./status.cjs', './statusline.cjs', './hook.cjs'],
			// An old version of Node must be able to parse this file and report that it is too old.
			target: 'node12',
			banner: { js: '#!/usr/bin/env node' },
			define: { contextdMinNode: JSON.stringify(minNode) },
		}),
		buildProgram(
			{
				main: 'server/start/main.ts',
				// A separate file, because the extension runs no terminal command and leaves it out.
				command: 'server/start/command.ts',
				channel: 'server/start/channelMain.ts',
				hook: 'server/hooks/hookMain.ts',
				transcriptThread: 'server/node/transcript/thread/transcriptThread.ts',
				recorderThread: 'server/recorder/thread/recorderThread.ts',
			},
			{ chunks: 'main', write },
		),
		// Separate from the main program, because they run many times a minute and should load few files.
		buildProgram(
			{ status: 'server/status/statusMain.ts', statusline: 'server/status/statuslineMain.ts' },
			{ chunks: 'status', write },
		),
		...Object.entries({ proxy: 'server/start/proxy.ts', sqlite: 'node-sqlite3-wasm' }).map(([name, file]) =>
			build({ ...program, write, entryPoints: [file], outfile: `dist/${name}.cjs` }),
		),
		build({
			...program,
			write,
			entryPoints: ['server/node/models/askProvider.ts'],
			outfile: 'dist/providers.cjs',
			plugins: [...program.plugins, zodInEnglish, noZod3, noGateway, noDebug, plainJson],
			alias: { ...common.alias, 'node-fetch': './server/node/models/platformFetch.ts' },
		}),
		// Only packages are minified: an uncaught error prints the line that threw, which users must be able to read.
		buildSplit({
			...common,
			plugins: [...common.plugins, readableCode],
			write,
			entryPoints: {
				'client/index': 'server/client/index.ts',
				'protocol/index': 'server/protocol/index.ts',
				'kit/index': 'kit/node/index.ts',
				'ai-sdk/index': 'kit/aiSdk/index.ts',
			},
			outdir: 'dist/cjs',
			chunkNames: 'shared/[hash]',
		}),
		...['opencode', 'pi'].map((agent) => {
			const files = { entryPoints: [`client-${agent}/contextd.ts`], outfile: `dist/${agent}/contextd.js` };
			return build({ ...plugin, write, ...files });
		}),
	]);
	return built.map(({ metafile }) => metafile);
}
