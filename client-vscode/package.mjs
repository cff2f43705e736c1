/** Checks the built extension against the rules of the marketplaces, and packs it into a vsix. */

import { existsSync } from 'node:fs';
import { copyFile, cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { checkExtension } from './checkMarketplace.mjs';
import { createPublishedManifest, createPublishedPage, readRepositoryAddress } from './published.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, '..');
/** Maximum size of the vsix in bytes. */
const maxBytes = 2_600_000;
/** Files at the root of the repository that are part of the vsix. */
const fromRoot = ['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'CHANGELOG.md'];
/** Folders of the checkout that are not copied before packing. */
const notCopied = new Set(['src', 'node_modules']);

async function rewrite(file, change) {
	await writeFile(file, change(await readFile(file, 'utf8')));
}

/**
 * Copies an extension and its built `dist/` into a temporary folder, with the manifest, page and licences to publish.
 * `address` is the repository's https address, null if there is none yet. The caller removes the returned folder.
 */
export async function stageExtension(folder, address) {
	const staged = await mkdtemp(path.join(tmpdir(), 'contextd-vsix-'));
	const isCopied = (source) => !notCopied.has(path.relative(folder, source));
	await cp(folder, staged, { recursive: true, filter: isCopied });
	await Promise.all(fromRoot.map((name) => copyFile(path.join(root, name), path.join(staged, name))));
	await rewrite(path.join(staged, 'package.json'), (text) =>
		JSON.stringify(createPublishedManifest(JSON.parse(text), address), null, '\t'),
	);
	const page = path.join(staged, 'README.md');
	if (existsSync(page)) await rewrite(page, (text) => createPublishedPage(text, address));
	return staged;
}

/** Packs a staged folder and returns the bytes of the vsix. Rejects if it is too large. */
async function packStaged(packagePath, staged, address) {
	await createVSIX({
		cwd: staged,
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
	const staged = await stageExtension(folder, address);
	try {
		return await packStaged(packagePath, staged, address);
	} finally {
		await rm(staged, { recursive: true });
	}
}

/** Checks and packs this extension. Prints a line for each broken rule, each fact that is missing, and the size. */
async function main() {
	const address = await readRepositoryAddress(root);
	const staged = await stageExtension(here, address);
	try {
		const { broken, missing } = await checkExtension(staged);
		for (const line of broken) console.error(`breaks a rule: ${line}`);
		for (const line of missing) console.log(`not set yet: ${line}`);
		if (broken.length > 0) {
			process.exitCode = 1;
			return;
		}
		const packagePath = path.join(here, 'contextd.vsix');
		const size = await packStaged(packagePath, staged, address);
		console.log(`${packagePath}: ${(size / 1e6).toFixed(2)} MB`);
	} finally {
		await rm(staged, { recursive: true });
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
