/** The package as users install it: packed, and installed into a separate folder without a network. */

import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeFolder } from '../support/removeFolder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

export interface Installed {
	/** The user's folder, which is a package of type "module". */
	folder: string;
	tarball: string;
	/** The files in the tarball, with `/` as separator. */
	files: string[];
	/** The bytes of the tarball, and of all its files. */
	bytes: { packed: number; unpacked: number };
	/** The output of npm during the installation. */
	npmOutput: string;
	remove(): Promise<void>;
}

/** Packs the result of `npm run build`, and installs it. */
export async function installPackage(): Promise<Installed> {
	const folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
	const [{ filename, files, size, unpackedSize }] = packed((await run('npm', pack, { cwd: root })).stdout);
	const tarball = join(folder, filename);
	await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
	const install = ['install', '--offline', '--no-audit', '--no-fund', tarball];
	const { stdout, stderr } = await run('npm', install, { cwd: folder });
	return {
		folder,
		tarball,
		files: files.map(({ path }) => path),
		bytes: { packed: size, unpacked: unpackedSize },
		npmOutput: stdout + stderr,
		remove: () => removeFolder(folder),
	};
}

/** The output of `npm pack --json`. */
interface Packed {
	filename: string;
	files: { path: string }[];
	size: number;
	unpackedSize: number;
}

function packed(output: string): [Packed] {
	return JSON.parse(output);
}
