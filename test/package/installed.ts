/** The package as its users have it: packed, and installed into a folder of their own without a network. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

export interface Installed {
	/** The user's folder, a module of its own. */
	folder: string;
	tarball: string;
	/** Files in the tarball, with `/`. */
	files: string[];
	/** Bytes of the tarball, and of all its files. */
	bytes: { packed: number; unpacked: number };
	/** What npm said while it installed. */
	said: string;
	remove(): Promise<void>;
}

/** Packs what `npm run build` left, and installs it. */
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
		said: stdout + stderr,
		remove: () => rm(folder, { recursive: true, force: true }),
	};
}

/** What `npm pack --json` prints of a package. */
interface Packed {
	filename: string;
	files: { path: string }[];
	size: number;
	unpackedSize: number;
}

function packed(output: string): [Packed] {
	return JSON.parse(output);
}
