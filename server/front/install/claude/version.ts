/** Finds out whether a version of Claude Code runs code of plugins, which Claude Code calls mods. */

import type { Finding } from '../parts/agent.ts';
import { areModsForbidden, readManagedSettings } from './managed.ts';

/** The first version of Claude Code that runs mods. */
export const firstModVersion = '2.1.287';
/** The newest version of Claude Code that contextd was tested with. */
const testedVersion = '2.1.332';

/** Compares versions: negative if the left one is older, 0 if they are equal, positive if the left one is newer. */
function compareVersions(left: string, right: string, parts = 3): number {
	const [one, other] = [left, right].map((version) => version.split('.').slice(0, parts).map(Number));
	const index = (one ?? []).findIndex((number, part) => number !== other?.[part]);
	return index < 0 ? 0 : (one?.[index] ?? 0) - (other?.[index] ?? 0);
}

/** Returns whether a version of Claude Code runs mods. */
export function canRunMods(version: string): boolean {
	return compareVersions(version, firstModVersion) >= 0;
}

/** Reports what works in a version of Claude Code. */
export function checkModSupport(version: string): Finding {
	if (!canRunMods(version)) {
		return {
			text: `Claude Code ${version} runs no mods (${firstModVersion} and later do): only the hooks and the status line work`,
		};
	}
	// Minor versions change what mods may do; patches appear daily.
	return compareVersions(version, testedVersion, 2) > 0
		? {
				text: `Claude Code ${version} is newer than ${testedVersion}, the newest version tested with contextd`,
			}
		: { isSound: true, text: `Claude Code ${version} runs mods` };
}

/** Returns the lines that `contextd install` adds for a version without mods; empty for other versions. */
export function listOldVersionAdvice(version: string): string[] {
	if (canRunMods(version)) return [];
	return [
		`Claude Code ${version} runs no mods: only the hooks and the status line work in it. /compact without a model call, undo and recall need ${firstModVersion} or later.`,
		'Update with "claude update", or with "npm install -g @anthropic-ai/claude-code" under Node 22 or later; then run contextd install claude again.',
	];
}

/** The facts that determine whether mods run in Claude Code. */
export interface ModSupport {
	/** The version of Claude Code that the command starts. */
	version: string;
	/** Warnings about editors with an old Claude Code, from `findOldAcpHosts`. */
	oldHosts: readonly string[];
	platform: NodeJS.Platform;
}

/**
 * Returns whether some Claude Code on this machine may run no mods: it is too old, an editor's adapter starts an
 * older one, the organization's settings forbid mods, or the system is Windows.
 */
export async function mayRunWithoutMods({ version, oldHosts, platform }: ModSupport): Promise<boolean> {
	if (platform === 'win32' || !canRunMods(version) || oldHosts.length > 0) return true;
	return areModsForbidden(await readManagedSettings(platform));
}
