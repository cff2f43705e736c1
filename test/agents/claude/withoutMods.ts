/** Claude Code in an organization that allows only its own mods: with managed settings, in a separate namespace. */

import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Installed } from '../install.ts';

/** The settings of an organization, which a user's own cannot override. */
const managed = {
	pluginConfigs: { 'cc-plugin-sec-default@builtin': { options: { allowManagedModsOnly: true } } },
};

/** Returns whether this system has mount namespaces, in which a process can see other files. */
export function hasNamespaces(): boolean {
	return spawnSync('unshare', ['-rm', 'true']).status === 0;
}

/** Claude Code that may run no mod; `end` removes the files that forbid it. */
export interface ClaudeWithoutMods extends Installed {
	end(): Promise<void>;
}

/** Wraps Claude Code in a command that shows it the managed settings. */
export async function withoutMods(installed: Installed): Promise<ClaudeWithoutMods> {
	const folder = await mkdtemp(join(tmpdir(), 'contextd-managed-'));
	const etc = join(folder, 'etc');
	await cp('/etc', etc, { recursive: true, verbatimSymlinks: true, filter: isReadable });
	await mkdir(join(etc, 'claude-code'), { recursive: true });
	await writeFile(join(etc, 'claude-code', 'managed-settings.json'), JSON.stringify(managed));
	/** Writes a command that starts a program in a namespace with the managed settings. */
	const within = async (name: string, program: string): Promise<string> => {
		const file = join(folder, name);
		const enter = `mount --bind '${etc}' /etc && exec '${program}' "$@"`;
		await writeFile(file, `#!/bin/sh\nexec unshare -rm sh -c '${enter.replaceAll("'", "'\\''")}' sh "$@"\n`, {
			mode: 0o755,
		});
		return file;
	};
	return {
		...installed,
		file: await within('claude', installed.file),
		// contextd must see the same settings as Claude Code.
		node: await within('node', process.execPath),
		end: () => rm(folder, { recursive: true, force: true }),
	};
}

/** Returns false for the files in /etc that only root can read. The tests need none of them. */
function isReadable(path: string): boolean {
	return !/\/g?shadow|\/ssl\/private|\/sudoers|\.pwd\.lock/.test(path);
}
