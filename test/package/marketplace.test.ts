import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildExtension } from '../e2e/vscode/pack.ts';

const client = fileURLToPath(new URL('../../client-vscode', import.meta.url));
const address = 'https://github.com/someone/contextd';

type Manifest = Record<string, unknown>;

interface Marketplace {
	checkExtension(folder: string): Promise<{ brokenRules: string[]; missingFacts: string[] }>;
}

interface Packer {
	stageExtension(folder: string, address: string | null): Promise<string>;
}

interface Published {
	readRepositoryAddress(root: string): Promise<string | null>;
	createPublishedPage(text: string, address: string | null): string;
}

function load<Module>(name: string): Promise<Module> {
	return import(path.join(client, name)) as Promise<Module>;
}

const folders: string[] = [];
let marketplace: Marketplace;
let published: Published;
let built: string;

beforeAll(async () => {
	[marketplace, published, built] = await Promise.all([
		load<Marketplace>('checkMarketplace.mjs'),
		load<Published>('package.mjs'),
		buildExtension('marketplace'),
	]);
});

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function temporaryFolder(): Promise<string> {
	const folder = await mkdtemp(path.join(tmpdir(), 'marketplace-'));
	folders.push(folder);
	return folder;
}

async function staged(repository: string | null): Promise<string> {
	const folder = await (await load<Packer>('package.mjs')).stageExtension(built, repository);
	folders.push(folder);
	return folder;
}

/** Returns the first bytes of a PNG, up to its width and height. */
function png(width: number, height: number): Buffer {
	const size = Buffer.alloc(8);
	size.writeUInt32BE(width, 0);
	size.writeUInt32BE(height, 4);
	return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), size]);
}

const manifest: Manifest = {
	name: 'gauge',
	displayName: 'Gauge',
	publisher: 'someone',
	version: '1.0.0',
	license: 'MIT',
	description: 'Shows a gauge',
	categories: ['Other'],
	engines: { vscode: '^1.100.0' },
	icon: 'icon.png',
	main: './main.cjs',
	activationEvents: ['onStartupFinished'],
};

const files: Record<string, string | Buffer> = {
	'main.cjs': '',
	'icon.png': png(128, 128),
	'README.md': '# Gauge\n\nShows a gauge.\n',
	'CHANGELOG.md': '# Changelog\n',
	LICENSE: 'MIT',
	'.vscodeignore': '',
};

/** Returns the rules that an otherwise valid extension breaks after changes of some members and files. */
async function brokenBy(members: Manifest, changed: Record<string, string | Buffer | null> = {}) {
	const folder = await temporaryFolder();
	const contents = { ...files, ...changed, 'package.json': JSON.stringify({ ...manifest, ...members }) };
	for (const [name, content] of Object.entries(contents)) {
		await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
		if (content !== null) await writeFile(path.join(folder, name), content);
	}
	return (await marketplace.checkExtension(folder)).brokenRules;
}

describe('the extension as it is published', () => {
	it('the extension breaks no rule of the marketplaces, with and without a repository', async () => {
		expect((await marketplace.checkExtension(await staged(null))).brokenRules).toEqual([]);
		expect((await marketplace.checkExtension(await staged(address))).brokenRules).toEqual([]);
	});

	it('the check says that the repository and the pictures are missing until there is an address', async () => {
		const { missingFacts } = await marketplace.checkExtension(await staged(null));
		expect(missingFacts.join('\n')).toMatch(
			/^"repository" in the package\.json of the root[\s\S]*no pictures/,
		);
		const { missingFacts: left } = await marketplace.checkExtension(await staged(address));
		expect(left.join('\n')).not.toMatch(/repository|pictures/);
	});

	it('the manifest and the page get their addresses from the repository', async () => {
		const folder = await staged(address);
		expect(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'))).toMatchObject({
			repository: { type: 'git', url: `${address}.git`, directory: 'client-vscode' },
			bugs: { url: `${address}/issues` },
			qna: `${address}/issues`,
		});
		const page = await readFile(path.join(folder, 'README.md'), 'utf8');
		expect(page).toContain(`](${address}/raw/HEAD/client-vscode/images/`);
		expect(page).not.toContain('](images/');
	});

	it('every picture of the page is a file of the repository, and has a text', async () => {
		const page = await readFile(path.join(client, 'README.md'), 'utf8');
		const pictures = [...page.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)];
		expect(pictures.length).toBeGreaterThan(2);
		for (const [, text = '', name = ''] of pictures) {
			expect(text).toMatch(/\w+ \w+/);
			expect((await readFile(path.join(client, name))).byteLength).toBeLessThan(1_500_000);
		}
	});

	it('the published manifest has no members that only the checkout needs', async () => {
		const text = await readFile(path.join(await staged(null), 'package.json'), 'utf8');
		expect(Object.keys(JSON.parse(text))).not.toEqual(
			expect.arrayContaining(['private', 'scripts', 'devDependencies']),
		);
	});
});

describe('the address of the repository', () => {
	async function addressOf(repository: unknown): Promise<string | null> {
		const folder = await temporaryFolder();
		await writeFile(path.join(folder, 'package.json'), JSON.stringify({ repository }));
		return published.readRepositoryAddress(folder);
	}

	it('reads every form that npm accepts with an https address', async () => {
		expect(await addressOf(address)).toBe(address);
		expect(await addressOf({ type: 'git', url: `git+${address}.git` })).toBe(address);
		expect(await addressOf({ type: 'git', url: '' })).toBeNull();
		expect(await addressOf(undefined)).toBeNull();
	});

	it('refuses an address that a page cannot load pictures from, by name', async () => {
		await expect(addressOf('git@github.com:someone/contextd.git')).rejects.toThrow(
			'"repository" in package.json is "git@github.com:someone/contextd.git"; expected an https address',
		);
	});

	it('leaves out the pictures if the host has no known address for files', () => {
		const page = 'One.\n\n![A picture](images/a.png)\n\nTwo.\n';
		expect(published.createPublishedPage(page, 'https://example.org/contextd')).toBe('One.\n\nTwo.\n');
		expect(published.createPublishedPage(page, null)).toBe('One.\n\nTwo.\n');
	});
});

describe('a broken rule', () => {
	it('reports nothing for an extension that follows all rules', async () => {
		expect(await brokenBy({})).toEqual([]);
	});

	it.each<[string, Manifest]>([
		['"description" is missing', { description: '' }],
		['"%gauge%" has no text in package.nls.json', { displayName: '%gauge%' }],
		['"displayName" has control characters', { displayName: 'Gauge\u200b' }],
		['"categories" is empty', { categories: [] }],
		['"categories" has "Gauges", which no marketplace has', { categories: ['Gauges'] }],
		[
			'"keywords" has 31 entries; expected at most 30',
			{ keywords: Array.from({ length: 31 }, (_, index) => `k${index}`) },
		],
		['"keywords" has an entry twice', { keywords: ['meter', 'meter'] }],
		['"keywords" has " "; expected 1 to 255 characters', { keywords: [' '] }],
		['"icon" is missing', { icon: undefined }],
		['"icon" names other.png, which is not packed', { icon: 'other.png' }],
		[
			'a walkthrough shows a.png, which is not packed',
			{ contributes: { walkthroughs: [{ steps: [{ media: { image: { dark: 'a.png' } } }] }] } },
		],
	])('reports: %s', async (line, members) => {
		const broken = await brokenBy(members);
		expect(broken).toHaveLength(1);
		expect(broken[0]).toContain(line);
	});

	it.each<[string, Record<string, string | Buffer | null>]>([
		['icon.png has 64×64 pixels; expected a square of at least 128×128', { 'icon.png': png(64, 64) }],
		['icon.png is not a PNG', { 'icon.png': '<svg/>' }],
		['README.md is missing or empty', { 'README.md': '\n' }],
		['no LICENSE file is packed', { LICENSE: null }],
	])('reports: %s', async (line, changed) => {
		const broken = await brokenBy({}, changed);
		expect(broken).toHaveLength(1);
		expect(broken[0]).toContain(line);
	});

	it('reports what the packing tool refuses in its words', async () => {
		expect(await brokenBy({ extensionKind: ['desktop'] })).toEqual([
			expect.stringContaining("invalid value 'desktop' in the 'extensionKind' property"),
		]);
	});
});
