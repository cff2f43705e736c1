/**
 * Checks the built extension against the rules of the marketplaces, and packs it into a vsix, with the manifest and the
 * page to publish. All addresses in both are derived from `repository` of the root package.
 */

import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { checkExtension } from './checkMarketplace.mjs';

const extensionFolder = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(extensionFolder, '..');
/** Maximum size of the vsix in bytes. */
const maxBytes = 2_600_000;
/** Files at the root of the repository that are part of the vsix. */
const rootFiles = ['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'CHANGELOG.md'];
/** Folders of the checkout that are not copied before packing. */
const skippedFolders = new Set(['src', 'node_modules']);

/** Members of the manifest that are not published, because only a checkout needs them. */
const checkoutMembers = ['private', 'scripts', 'devDependencies'];
/** Matches a paragraph that consists of one picture. */
const picturePattern = /^!\[[^\]]*\]\(images\/[\w-]+\.(?:png|gif)\)\n+/gm;
/** Where each host serves the files of a repository, as a path below the repository's address. */
const rawPaths = { 'github.com': 'raw/HEAD', 'gitlab.com': '-/raw/HEAD', 'codeberg.org': 'raw/HEAD' };

/**
 * Returns the https address of the repository that the package.json in `folder` names, without `.git`; null if it names
 * none. Throws if it names one that is not at an https address.
 */
export async function readRepositoryAddress(folder) {
	const { repository } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
	const text = typeof repository === 'string' ? repository : repository?.url;
	if (!text) return null;
	const address = text.replace(/^git\+/, '').replace(/\.git$/, '');
	if (!URL.canParse(address) || new URL(address).protocol !== 'https:')
		throw new Error(`"repository" in package.json is "${text}"; expected an https address`);
	return address;
}

/** Returns the address under which the files of `client-vscode/` are served; null if the host is unknown. */
function getFilesAddress(address) {
	const rawPath = address && rawPaths[new URL(address).host];
	return rawPath ? `${address}/${rawPath}/client-vscode` : null;
}

/** Returns the manifest with links to the repository, if there is one, and without members that only a checkout needs. */
function createPublishedManifest(manifest, address) {
	const published = Object.fromEntries(
		Object.entries(manifest).filter(([name]) => !checkoutMembers.includes(name)),
	);
	if (!address) return published;
	return {
		...published,
		repository: { type: 'git', url: `${address}.git`, directory: 'client-vscode' },
		homepage: `${address}/tree/HEAD/client-vscode#readme`,
		bugs: { url: `${address}/issues` },
		qna: `${address}/issues`,
	};
}

/**
 * Returns the page with https addresses for its pictures. Without an address it has no pictures: editors and
 * marketplaces load pictures only from https addresses.
 */
export function createPublishedPage(text, address) {
	const base = getFilesAddress(address);
	if (base === null) return text.replace(picturePattern, '');
	return text.replace(picturePattern, (paragraph) => paragraph.replace('](images/', `](${base}/images/`));
}

async function rewriteFile(file, change) {
	await writeFile(file, change(await readFile(file, 'utf8')));
}

/**
 * Copies an extension and its built `dist/` into a temporary folder, with the manifest, page and licences to publish.
 * `address` is the repository's https address, null if there is none yet. The caller removes the returned folder.
 */
export async function stageExtension(folder, address) {
	const stagedFolder = await mkdtemp(path.join(tmpdir(), 'contextd-vsix-'));
	const isCopied = (source) => !skippedFolders.has(path.relative(folder, source));
	await cp(folder, stagedFolder, { recursive: true, filter: isCopied });
	await Promise.all(rootFiles.map((name) => copyFile(path.join(root, name), path.join(stagedFolder, name))));
	await rewriteFile(path.join(stagedFolder, 'package.json'), (text) =>
		JSON.stringify(createPublishedManifest(JSON.parse(text), address)),
	);
	const page = path.join(stagedFolder, 'README.md');
	if (existsSync(page)) await rewriteFile(page, (text) => createPublishedPage(text, address));
	return stagedFolder;
}

/** Packs a staged folder and returns the bytes of the vsix. Rejects if it is too large. */
async function packStaged(packagePath, stagedFolder, address) {
	await createVSIX({
		cwd: stagedFolder,
		packagePath,
		dependencies: false,
		allowMissingRepository: true,
		// The page already has complete addresses. With a repository, vsce checks that its pictures are https and no SVG.
		rewriteRelativeLinks: address !== null,
		gitHubIssueLinking: false,
		gitLabIssueLinking: false,
	});
	const { size } = await stat(packagePath);
	if (size > maxBytes) throw new Error(`the vsix has ${size} bytes; expected at most ${maxBytes}`);
	return size;
}

/** Packs `folder`, which contains an extension and its built `dist/`, without checking the rules of marketplaces. */
export async function packExtension(packagePath, folder) {
	const address = await readRepositoryAddress(root);
	const stagedFolder = await stageExtension(folder, address);
	try {
		return await packStaged(packagePath, stagedFolder, address);
	} finally {
		await rm(stagedFolder, { recursive: true });
	}
}

/** Checks and packs this extension. Prints a line for each broken rule, each fact that is missing, and the size. */
async function main() {
	const address = await readRepositoryAddress(root);
	const stagedFolder = await stageExtension(extensionFolder, address);
	try {
		const { brokenRules, missingFacts } = await checkExtension(stagedFolder);
		for (const line of brokenRules) console.error(`breaks a rule: ${line}`);
		for (const line of missingFacts) console.log(`not set yet: ${line}`);
		if (brokenRules.length > 0) {
			process.exitCode = 1;
			return;
		}
		const packagePath = path.join(extensionFolder, 'contextd.vsix');
		const size = await packStaged(packagePath, stagedFolder, address);
		console.log(`${packagePath}: ${(size / 1e6).toFixed(2)} MB`);
	} finally {
		await rm(stagedFolder, { recursive: true });
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
