/** Packs the extension and the tests' own extensions for installation. */

import { existsSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { outFile } from './out.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Builders {
	buildExtension(options: { root: string; outdir: string }): Promise<void>;
	packExtension(packagePath: string, folder: string): Promise<void>;
}

function builder(name: string): Promise<Builders> {
	return import(path.join(root, 'client-vscode', name)) as Promise<Builders>;
}

/** Files of the package that are not built. */
const unbuiltFiles = [
	'package.json',
	'package.nls.json',
	'package.nls.de.json',
	'README.md',
	'icon.png',
	'.vscodeignore',
	'images',
	'l10n',
];

function copy(name: string, folder: string): Promise<void> {
	return cp(path.join(root, 'client-vscode', name), path.join(folder, name), { recursive: true });
}

/** Builds the extension into a new folder, with the daemon that was built last. Returns the folder. */
export async function buildExtension(name: string): Promise<string> {
	if (!existsSync(path.join(root, 'dist/contextd.cjs')))
		throw new Error('there is no daemon yet: run npm run build');
	const folder = outFile(name);
	await mkdir(folder, { recursive: true });
	await Promise.all(unbuiltFiles.map((name) => copy(name, folder)));
	const build = await builder('build.mjs');
	await build.buildExtension({ root, outdir: path.join(folder, 'dist') });
	return folder;
}

/** Builds and packs the extension, in a folder that no other test uses at the same time. */
export async function packExtension(name: string): Promise<string> {
	const folder = await buildExtension(name);
	const pack = await builder('package.mjs');
	const packagePath = outFile(`${name}.vsix`);
	await pack.packExtension(packagePath, folder);
	return packagePath;
}

/** Packs an extension of the tests. */
export async function packHelper(name: 'example-agent'): Promise<string> {
	const packagePath = outFile(`${name}.vsix`);
	const pack = await builder('package.mjs');
	await pack.packExtension(packagePath, fileURLToPath(new URL(name, import.meta.url)));
	return packagePath;
}
