import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { InstallPlace } from './agent.ts';

/** Returns the programs of these names in the folders of the PATH, in its order. */
export async function findOnPath(
	names: readonly string[],
	{ env, platform }: Pick<InstallPlace, 'env' | 'platform'>,
): Promise<string[]> {
	const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
	const endings = platform === 'win32' ? ['.cmd', '.exe'] : [''];
	const files = folders.flatMap((folder) =>
		names.flatMap((name) => endings.map((ending) => join(folder, `${name}${ending}`))),
	);
	const isThere = await Promise.all(
		files.map((file) =>
			access(file, constants.X_OK).then(
				() => true,
				() => false,
			),
		),
	);
	return files.filter((_, index) => isThere[index]);
}
