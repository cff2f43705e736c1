/** Claude Code where an organization allows its own mods alone: with managed settings, in a namespace of its own. */

import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Installed } from '../install.ts';

/** As an organization sets it; nothing of a user's own counts against it. */
const managed = {
	pluginConfigs: { 'cc-plugin-sec-default@builtin': { options: { allowManagedModsOnly: true } } },
};

/** Whether this system lets a process have its own view of the files. */
export function hasNamespaces(): boolean {
	return spawnSync('unshare', ['-rm', 'true']).status === 0;
}

/** Claude Code that may run no mod, and what takes it away again. */
export interface Forbidden extends Installed {
	end(): Promise<void>;
}

/** Puts a command before Claude Code that shows it such settings. */
export async function withoutMods(installed: Installed): Promise<Forbidden> {
	const folder = await mkdtemp(join(tmpdir(), 'contextd-managed-'));
	const etc = join(folder, 'etc');
	await cp('/etc', etc, { recursive: true, verbatimSymlinks: true, filter: isReadable });
	await mkdir(join(etc, 'claude-code'), { recursive: true });
	await writeFile(join(etc, 'claude-code', 'managed-settings.json'), JSON.stringify(managed));
	/** Writes a command that starts a program with these settings before its eyes. */
	const within = async (name: string, program: string): Promise<string> => {
		const file = join(folder, name);
		const enter = `mount --bind '${etc}' /etc && exec '${program}' "$@"`;
		await writeFile(file, `#!/bin/sh\nexec unshare -rm sh -c '${enter.replaceAll("'", "'\\''")}' sh "$@"\n`, {
			mode: 0o755,
		});
		return file;
	};
	return {
		file: await within('claude', installed.file),
		// contextd has to see the same settings as Claude Code.
		node: await within('node', process.execPath),
		paths: installed.paths,
		end: () => rm(folder, { recursive: true, force: true }),
	};
}

/** What only root may read is not needed. */
function isReadable(path: string): boolean {
	return !/\/g?shadow|\/ssl\/private|\/sudoers|\.pwd\.lock/.test(path);
}
