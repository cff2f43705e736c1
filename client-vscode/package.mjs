/** Packs the built extension into one vsix. */

import { existsSync } from 'node:fs';
import { copyFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';

const here = path.dirname(fileURLToPath(import.meta.url));
/** Maximum size of the vsix in bytes. */
const limit = 3_000_000;
/** Files at the root of the repository that belong into the vsix. */
const fromRoot = ['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'CHANGELOG.md'];
const packedReadme = '.readme.packed.md';
/** A paragraph that consists of one picture. */
const picture = /^!\[[^\]]*\]\(images\/[\w-]+\.png\)\n+/gm;

/**
 * Returns the README without its pictures. The editor's page of an installed extension loads pictures only from https
 * addresses, and the project has no public address yet.
 */
async function withoutPictures(folder) {
	const text = await readFile(path.join(folder, 'README.md'), 'utf8');
	return text.replace(picture, '');
}

/** Packs `folder`, which contains the extension and its built `dist/`. Rejects if the file is too large. */
export async function packExtension(packagePath, folder = here) {
	await Promise.all(fromRoot.map((name) => copyFile(path.join(here, '..', name), path.join(folder, name))));
	const hasReadme = existsSync(path.join(folder, 'README.md'));
	if (hasReadme) await writeFile(path.join(folder, packedReadme), await withoutPictures(folder));
	try {
		await createVSIX({
			cwd: folder,
			packagePath,
			dependencies: false,
			allowMissingRepository: true,
			...(hasReadme && { readmePath: packedReadme }),
			// There is no public address to complete relative links with.
			rewriteRelativeLinks: false,
		});
	} finally {
		await Promise.all(
			[...fromRoot, packedReadme].map((name) => rm(path.join(folder, name), { force: true })),
		);
	}
	const { size } = await stat(packagePath);
	if (size > limit) throw new Error(`the vsix has ${size} bytes, more than ${limit}`);
	return size;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const packagePath = path.join(here, 'contextd.vsix');
	const size = await packExtension(packagePath);
	console.log(`${packagePath}: ${(size / 1e6).toFixed(2)} MB`);
}
