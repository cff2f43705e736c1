import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installed, installPackage } from './installed.ts';

const run = promisify(execFile);

let installed: Installed;

beforeAll(async () => {
	installed = await installPackage();
});

afterAll(() => installed.remove());

function read(file: string): Promise<string> {
	return readFile(join(installed.folder, 'node_modules/contextd', file), 'utf8');
}

describe('the package', () => {
	it('the package takes at most 8 MB, and 3 MB to download', () => {
		expect(installed.bytes.unpacked).toBeLessThan(8_000_000);
		expect(installed.bytes.packed).toBeLessThan(3_000_000);
	});

	it('the package contains no trace of the machine that built it', async () => {
		const root = fileURLToPath(new URL('../..', import.meta.url));
		const traces = [root, pathToFileURL(root).href, process.execPath, process.version];
		const folder = join(installed.folder, 'node_modules/contextd');
		const found = await Promise.all(
			installed.files.map(async (file) => {
				const bytes = await readFile(join(folder, file));
				return traces.filter((trace) => bytes.includes(trace)).map((trace) => `${file}: ${trace}`);
			}),
		);
		expect(found.flat()).toEqual([]);
	});

	it('the package has no dependencies, and runs nothing when it is installed', async () => {
		const folders = await readdir(join(installed.folder, 'node_modules'));
		expect(folders.filter((name) => !name.startsWith('.'))).toEqual(['contextd']);
		expect(installed.npmOutput).not.toContain('install-scripts');
	});

	it("the package's command works without anything else", async () => {
		const { version } = JSON.parse(await read('package.json'));
		const command = join(installed.folder, 'node_modules/.bin/contextd');
		expect((await run(command, ['--version'])).stdout).toBe(`contextd ${version}\n`);
		const sample = join(installed.folder, 'node_modules/contextd/examples/session.jsonl');
		expect((await run(command, ['stats', sample], { cwd: installed.folder })).stdout).toContain(' tokens');
	});

	it('the README of the package links only to files in it', async () => {
		const links = [...(await read('README.md')).matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
		expect(links.length).toBeGreaterThan(0);
		const missing = links.filter(
			(link) => !/^https?:/.test(link) && !installed.files.includes(posix.normalize(link)),
		);
		expect(missing).toEqual([]);
	});

	it('the manifest of the package names no repository, homepage or bug tracker', async () => {
		const manifest = JSON.parse(await read('package.json'));
		expect([manifest.repository, manifest.homepage, manifest.bugs]).toEqual([
			undefined,
			undefined,
			undefined,
		]);
		expect(manifest.keywords.length).toBeGreaterThan(5);
	});
});

describe('THIRD-PARTY-NOTICES.txt', () => {
	it('THIRD-PARTY-NOTICES.txt contains the licence of every bundled package, with its copyright', async () => {
		const notices = (await read('THIRD-PARTY-NOTICES.txt')).split(/\n\n-{80}\n\n/).slice(1);
		// Packages with the same licence share a notice, which begins with a line for each.
		const names = notices.flatMap((notice) =>
			(notice.split('\n\n')[0] ?? '').split('\n').map((title) => title.split(' ')[0]),
		);
		expect(names).toEqual(
			expect.arrayContaining([
				'zod',
				'lru-cache',
				'chokidar',
				'readdirp',
				'vscode-jsonrpc',
				'vscode-languageserver-protocol',
				'vscode-languageserver-types',
				'vscode-languageclient',
				'gpt-tokenizer',
				'@anthropic-ai/tokenizer',
				'llm-zoo',
				'tokenlens',
				'ai',
				'@ai-sdk/anthropic',
				'google-auth-library',
			]),
		);
		const licences =
			/permission is hereby granted|blue oak model license|permission to use, copy|redistribution and use in source|apache license/i;
		for (const notice of notices) expect(notice).toMatch(licences);
		// If a package has only the short notice, the full text is with another package.
		const apache = notices.find((notice) => notice.includes('TERMS AND CONDITIONS FOR USE, REPRODUCTION'));
		expect(apache).toContain('END OF TERMS AND CONDITIONS');
	});
});
