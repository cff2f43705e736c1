import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** The bytes of a file; undefined where there is none. */
export async function bytesOf(path: string): Promise<Buffer | undefined> {
	try {
		return await readFile(path);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}

/**
 * Replaces a file's bytes, all or none: whoever reads it meanwhile sees the old ones or the new ones. Symbolic links
 * stay, and what they lead to is replaced; a file that was there keeps its mode.
 * @param mode of a file that was not there
 */
export async function replaceFile(path: string, bytes: Buffer | string, mode: number): Promise<void> {
	const target = await realpath(path).catch(() => resolve(path));
	const found = await stat(target).catch(() => undefined);
	await mkdir(dirname(target), { recursive: true, mode: 0o700 });
	const draft = `${target}.${randomBytes(6).toString('hex')}.contextd`;
	try {
		const file = await open(draft, 'wx', 0o600);
		try {
			await file.writeFile(bytes);
			await file.sync();
		} finally {
			await file.close();
		}
		await chmod(draft, found === undefined ? mode : found.mode & 0o7777);
		await rename(draft, target);
	} catch (error) {
		await rm(draft, { force: true });
		throw error;
	}
}
