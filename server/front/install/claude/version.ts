/** Versions of Claude Code that run code of plugins, which Claude Code calls mods. */

import type { Finding } from '../parts/agent.ts';

/** The first version that runs mods. */
export const firstModVersion = '2.1.287';
/** The newest version that contextd was tested with. */
const testedVersion = '2.1.331';

/** Negative if the left version is older, 0 if they are equal, and positive if it is newer. */
function compareVersions(left: string, right: string, parts = 3): number {
	const [one, other] = [left, right].map((version) => version.split('.').slice(0, parts).map(Number));
	const index = (one ?? []).findIndex((number, part) => number !== other?.[part]);
	return index < 0 ? 0 : (one?.[index] ?? 0) - (other?.[index] ?? 0);
}

/** Whether this version runs mods. */
export function runsMods(version: string): boolean {
	return compareVersions(version, firstModVersion) >= 0;
}

/** Returns what works in this version. */
export function versionFinding(version: string): Finding {
	if (!runsMods(version)) {
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

/** The lines that an installation adds for a version without mods; none for the others. */
export function oldVersionLines(version: string): string[] {
	if (runsMods(version)) return [];
	return [
		`Claude Code ${version} runs no mods: only the hooks and the status line work in it. /compact without a model call, undo and recall need ${firstModVersion} or later.`,
		'Update with "claude update", or with "npm install -g @anthropic-ai/claude-code" under Node 22 or later; then run contextd install claude again.',
	];
}
