import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The allowed imports of each folder under `server/`: folders and files of the project, and packages. */
const mayImport: Readonly<Record<string, { own: string[]; packages: RegExp }>> = {
	protocol: { own: [], packages: /^vscode-languageserver-protocol$/ },
	core: { own: ['protocol'], packages: /^$/ },
	session: { own: ['protocol', 'core'], packages: /^lru-cache$/ },
	node: {
		own: ['session', 'protocol', 'core'],
		packages:
			/^(node:.*|vscode-jsonrpc\/node|chokidar|lru-cache|node-sqlite3-wasm|fzstd|jsonc-parser|ai|@ai-sdk\/.*|google-auth-library)$/,
	},
	recorder: {
		own: ['node', 'session', 'protocol', 'core'],
		packages: /^(node:.*|node-sqlite3-wasm|lru-cache)$/,
	},
	client: {
		own: ['relay', 'node', 'protocol', 'core'],
		packages: /^(node:.*|vscode-jsonrpc\/node|vscode-languageserver-protocol)$/,
	},
	rpc: {
		own: ['client', 'protocol', 'session', 'core'],
		packages: /^(node:.*|zod\/mini|vscode-jsonrpc\/node|vscode-languageserver-protocol)$/,
	},
	relay: { own: ['daemon', 'rpc', 'node', 'protocol', 'core'], packages: /^node:.*$/ },
	front: {
		own: ['client', 'protocol', 'core'],
		packages: /^(node:.*|vscode-languageserver-protocol|jsonc-parser)$/,
	},
	channel: { own: ['client', 'node', 'protocol', 'core'], packages: /^node:.*$/ },
	mcp: {
		own: ['../kit', 'front', 'client', 'protocol', 'core'],
		packages: /^(node:.*|zod|@modelcontextprotocol\/server(\/stdio)?)$/,
	},
	daemon: { own: ['front', 'rpc', 'node', 'session', 'protocol', 'core'], packages: /^node:.*$/ },
	status: { own: ['front', 'node', 'protocol', 'core'], packages: /^node:.*$/ },
	wiring: {
		own: ['front', 'rpc', 'node', 'session', 'protocol', 'core'],
		packages: /^(node:.*|vscode-languageserver-protocol)$/,
	},
	hooks: {
		own: ['status', 'channel', 'node', 'protocol', 'core'],
		packages: /^node:.*$/,
	},
};

interface Import {
	file: string;
	specifier: string;
	/** Whether the import does not exist at run time, because it imports only types. */
	isTypeOnly: boolean;
}

const statement =
	/^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm;

function sourcesUnder(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => join(folder, name));
}

function importsOf(file: string): Import[] {
	return [...readFileSync(file, 'utf8').matchAll(statement)].map((match) => ({
		file: relative(root, file),
		specifier: match[2] ?? match[3] ?? match[4] ?? '',
		isTypeOnly: match[1] !== undefined,
	}));
}

/** Returns the folder of an imported file relative to `server/`, such as `core` or `../kit`. */
function folderOf({ file, specifier }: Import): string {
	const [first = '', second] = relative(join(root, 'server'), join(root, dirname(file), specifier)).split(
		/[\\/]/,
	);
	return first === '..' ? `../${second}` : first;
}

function isRelative(specifier: string): boolean {
	return specifier.startsWith('.');
}

describe.each(Object.entries(mayImport))('server/%s', (floor, { own, packages }) => {
	const imports = sourcesUnder(join(root, 'server', floor)).flatMap(importsOf);

	it('a folder of the server imports no layer above it', () => {
		const wrong = imports.filter(
			(one) => isRelative(one.specifier) && ![floor, ...own].includes(folderOf(one)),
		);
		expect(wrong).toEqual([]);
	});

	it('a folder of the server imports only its permitted packages', () => {
		const wrong = imports.filter(({ specifier }) => !isRelative(specifier) && !packages.test(specifier));
		expect(wrong).toEqual([]);
	});

	it('imports in the server name files with their ending', () => {
		expect(
			imports.filter(({ specifier }) => isRelative(specifier) && !/\.(ts|json)$/.test(specifier)),
		).toEqual([]);
	});
});

/** Returns the import cycles between folders, each once, as a list of folders. */
function cyclesOf(imports: readonly Import[]): string[][] {
	const leads = new Map<string, Set<string>>();
	for (const { file, specifier } of imports.filter((one) => isRelative(one.specifier))) {
		const from = dirname(file);
		const to = join(from, dirname(specifier));
		if (from !== to) leads.set(from, (leads.get(from) ?? new Set<string>()).add(to));
	}
	const reachedFrom = (room: string): Set<string> => {
		const reached = new Set<string>();
		const open = [...(leads.get(room) ?? [])];
		for (let next = open.pop(); next !== undefined; next = open.pop()) {
			if (reached.has(next)) continue;
			reached.add(next);
			open.push(...(leads.get(next) ?? []));
		}
		return reached;
	};
	const rooms = [...leads.keys()].sort();
	const reached = new Map(rooms.map((room) => [room, reachedFrom(room)]));
	const circles = rooms.map((room) =>
		rooms.filter((other) => reached.get(room)?.has(other) && reached.get(other)?.has(room)),
	);
	return [...new Map(circles.filter((one) => one.length > 0).map((one) => [one.join(), one])).values()];
}

describe.each([
	'server/protocol',
	'server/core',
	'server/session',
	'server/rpc',
	'server/node',
	'server/recorder',
	'server/front',
	'server/status',
	'server/hooks',
	'server/channel',
	'server/daemon',
	'server/mcp',
	'kit',
	'client-vscode/src',
])('the folders of %s', (floor) => {
	it('the folders of a layer never import one another in a circle', () => {
		expect(cyclesOf(sourcesUnder(join(root, floor)).flatMap(importsOf))).toEqual([]);
	});
});

describe('the adapters', () => {
	it('the adapters know of sessions only the interfaces in their ports', () => {
		const imports = sourcesUnder(join(root, 'server/node')).flatMap(importsOf);
		const wrong = imports.filter(
			(one) => isRelative(one.specifier) && folderOf(one) === 'session' && !one.isTypeOnly,
		);
		expect(wrong).toEqual([]);
	});
});

describe('the rim', () => {
	it('the outermost layer has no casts: input is checked, and has the type of its check', () => {
		const noCode = /`[^`]*`|'[^'\n]*'|\/\*\*.*?\*\/|\/\/.*?$|^import[^;]*;|^export [{*][^;]*;/gms;
		const casts = sourcesUnder(join(root, 'server/rpc')).flatMap((file) =>
			readFileSync(file, 'utf8')
				.replaceAll(noCode, '')
				.split('\n')
				.filter((line) => /\bas (?!const\b)[\w{([]/.test(line))
				.map((line) => `${relative(root, file)}: ${line.trim()}`),
		);
		expect(casts).toEqual([]);
	});
});

describe('vscode-languageserver-protocol', () => {
	it('vscode-languageserver-protocol is imported only for its types, since loading its code would delay the first answer', () => {
		const imports = ['server', 'kit'].flatMap((folder) =>
			sourcesUnder(join(root, folder)).flatMap(importsOf),
		);
		const wrong = imports.filter(
			({ specifier, isTypeOnly }) => specifier.startsWith('vscode-languageserver') && !isTypeOnly,
		);
		expect(wrong).toEqual([]);
	});
});

describe('zod', () => {
	it('zod is imported as a namespace, since a named import adds its texts in forty languages to the bundle', () => {
		const wrong = sourcesUnder(join(root, 'server')).filter((file) =>
			/import \{[^}]*\} from 'zod(?:\/mini)?'/.test(readFileSync(file, 'utf8').replaceAll('import type', '')),
		);
		expect(wrong.map((file) => relative(root, file))).toEqual([]);
	});
});

describe('the extension', () => {
	it('the extension imports from the daemon only its contract, the streams to it, its end, and how figures and errors are written', () => {
		const imports = sourcesUnder(join(root, 'client-vscode/src')).flatMap(importsOf);
		const allowed =
			/server\/(protocol\/|client\/(daemonStreams|errors|messages)\.ts$|daemon\/control\.ts$|core\/(failure|figures)\.ts$)/;
		const wrong = imports.filter(
			({ specifier }) => specifier.includes('server/') && !allowed.test(specifier),
		);
		expect(wrong).toEqual([]);
	});
});

describe('the kit', () => {
	it('the kit depends only on the contract and the core, and on no runtime', () => {
		const imports = ['kit', 'kit/dialects'].flatMap((folder) =>
			sourcesUnder(join(root, folder))
				.filter((file) => dirname(file) === join(root, folder))
				.flatMap(importsOf),
		);
		const wrong = imports.filter(
			(one) =>
				!isRelative(one.specifier) ||
				(one.specifier.includes('server/') && !['protocol', 'core'].includes(folderOf(one))),
		);
		expect(wrong).toEqual([]);
	});
});

describe('the plugins', () => {
	it('the plugins import from the project only the kit, the core and the contract', () => {
		const folders = ['client-claude', 'client-opencode', 'client-pi'];
		const imports = folders.flatMap((folder) => sourcesUnder(join(root, folder)).flatMap(importsOf));
		const allowed = /^\.\.?\/(\.\.\/)?(kit\/|server\/(protocol|core)\/|[a-zA-Z]+\.ts$)/;
		const wrong = imports.filter(({ specifier }) => !allowed.test(specifier) && specifier !== 'node:url');
		expect(wrong).toEqual([]);
	});
});

describe('the core', () => {
	it('the core imports only types from the contract', () => {
		const imports = sourcesUnder(join(root, 'server/core')).flatMap(importsOf);
		const wrong = imports.filter(
			(one) => !one.isTypeOnly && isRelative(one.specifier) && folderOf(one) === 'protocol',
		);
		expect(wrong).toEqual([]);
	});

	it('all other folders import transcripts only through their entry', () => {
		const imports = ['server', 'kit'].flatMap((folder) =>
			sourcesUnder(join(root, folder)).flatMap(importsOf),
		);
		const wrong = imports.filter(
			({ file, specifier }) =>
				!file.startsWith('server/core/transcript/') &&
				join(dirname(file), specifier).startsWith('server/core/transcript/') &&
				!specifier.endsWith('/transcript/index.ts'),
		);
		expect(wrong).toEqual([]);
	});

	it('the core reads no clock, draws no random number and depends on no runtime', () => {
		const forbidden = /\b(Date\.now|new Date\(\)|Math\.random|setTimeout|setInterval|Buffer\.|process\.)/;
		const wrong = sourcesUnder(join(root, 'server/core')).filter((file) =>
			readFileSync(file, 'utf8')
				.split('\n')
				.some((line) => forbidden.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line)),
		);
		expect(wrong.map((file) => relative(root, file))).toEqual([]);
	});
});

describe('the pages for engineers', () => {
	const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
	const bases = ['', 'server', 'server/core', 'server/session'];
	const path = /`([\w./-]+(?:\.(?:ts|mjs|json)|\/))`/g;

	/** Returns the paths in a line that do not exist. A path may be relative to the folder of an earlier path in the line. */
	function missingIn(line: string): string[] {
		const folders = [...bases];
		return [...line.matchAll(path)].flatMap(([, name = '']) => {
			const folder = folders.find((one) => existsSync(join(root, one, name)));
			if (folder === undefined) return [name];
			const found = join(folder, name);
			folders.unshift(name.endsWith('/') ? found : dirname(found));
			return [];
		});
	}

	it('ARCHITECTURE.md names only files and folders that exist', () => {
		expect(page.split('\n').flatMap(missingIn)).toEqual([]);
	});

	it.each(['ARCHITECTURE.md', 'docs/kit.md'])(
		'the page %s names only identifiers that the code declares',
		(name) => {
			const text = readFileSync(join(root, name), 'utf8');
			const code = ['server', 'kit', 'client-vscode/src']
				.flatMap((folder) => sourcesUnder(join(root, folder)))
				.map((file) => readFileSync(file, 'utf8'))
				.join('\n');
			const words = new Set(code.match(/\w+/g));
			const names = [...text.matchAll(/`([A-Z]\w+|[a-z]+[A-Z]\w*)[`(]/g)].map(([, word = '']) => word);
			expect(names.length).toBeGreaterThan(10);
			expect(names.filter((word) => !words.has(word))).toEqual([]);
		},
	);

	it('ARCHITECTURE.md says in which file a function is only if that file declares it', () => {
		const pairs = [...page.matchAll(/`(\w+)` in `([\w./-]+\.ts)`/g)].map(([, name, file]) => [name, file]);
		expect(pairs.length).toBeGreaterThan(2);
		const wrong = pairs.filter(([name = '', file = '']) => {
			const folder = bases.find((one) => existsSync(join(root, one, file)));
			if (folder === undefined) return true;
			const text = readFileSync(join(root, folder, file), 'utf8');
			return !new RegExp(`(?:function\\*?|const|class|interface|type) ${name}\\b`).test(text);
		});
		expect(wrong).toEqual([]);
	});

	it('ARCHITECTURE.md says for every folder under server/ which question it answers', () => {
		const folders = readdirSync(join(root, 'server'), { withFileTypes: true }).filter((one) =>
			one.isDirectory(),
		);
		const unnamed = folders.filter(({ name }) => !page.includes(`| \`server/${name}/\` |`));
		expect(unnamed.map(({ name }) => name)).toEqual([]);
	});
});
