/** The extension and those that the tests bring, packed as they are installed. */

import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { outFile } from './out.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

interface Builders {
	buildExtension(options: { root: string }): Promise<void>;
	packExtension(packagePath: string): Promise<void>;
}

/** Builds the extension around the daemon that was built last, and packs it. */
export async function packExtension(): Promise<string> {
	if (!existsSync(path.join(root, 'dist/contextd.cjs')))
		throw new Error('there is no daemon yet: run npm run build');
	const build = (await import(path.join(root, 'client-vscode/build.mjs'))) as Builders;
	const pack = (await import(path.join(root, 'client-vscode/package.mjs'))) as Builders;
	await build.buildExtension({ root });
	const packagePath = outFile('contextd.vsix');
	await pack.packExtension(packagePath);
	return packagePath;
}

/** Packs an extension of the tests. */
export async function packHelper(name: 'example-agent' | 'fake-model'): Promise<string> {
	const packagePath = outFile(`${name}.vsix`);
	const cwd = fileURLToPath(new URL(name, import.meta.url));
	await createVSIX({
		cwd,
		packagePath,
		dependencies: false,
		allowMissingRepository: true,
		skipLicense: true,
	});
	return packagePath;
}
