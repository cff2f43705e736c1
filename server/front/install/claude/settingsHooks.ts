/** The settings hooks of the plugin, which every version of Claude Code runs, even if it runs no mods. */

import { join } from 'node:path';
import { channelFolderName, markSuffix } from '../../../core/channel/marks.ts';
import { shellWord } from '../../output/printable.ts';
import type { InstallPlace } from '../parts/agent.ts';

/** Seconds that Claude Code waits; the program stops earlier. */
const timeout = 10;

/**
 * Ends the shell if the plugin's daemon has answered this session and still runs.
 *
 * Starting Node to find that out would take 0.1 s. Every Claude Code with mods sets
 * `CLAUDE_CODE_SESSION_ID`. If anything is missing here, the program starts and checks by itself.
 */
function unlessAnswered(stateFolder: string): string {
	const folder = shellWord(join(stateFolder, channelFolderName));
	return `mark=${folder}/claude-"$CLAUDE_CODE_SESSION_ID"${markSuffix}; [ -e "$mark" ] && { read -r socket; read -r pid; } <"$mark" && kill -0 "$pid" 2>/dev/null && exit 0; exec `;
}

/** The command for Claude Code's shell: absolute, and independent of the environment. */
function hookCommand(argv: readonly string[], platform: NodeJS.Platform): string {
	const words = argv.map((word) => shellWord(platform === 'win32' ? word.replaceAll('\\', '/') : word));
	// Programs on Windows cannot start without some of its variables; only those that Node reads are cleared.
	const clean = platform === 'win32' ? ['NODE_OPTIONS=', 'NODE_PATH='] : ['/usr/bin/env', '-i'];
	return [...clean, ...words].join(' ');
}

/**
 * Returns the hooks in the format of Claude Code's settings.
 * @param argv the program that answers them
 * @param isModlessPossible whether mods may be missing: only then a program runs after each Bash call
 */
export function settingsHooks(
	argv: readonly string[],
	{ platform, stateFolder }: Pick<InstallPlace, 'platform' | 'stateFolder'>,
	isModlessPossible: boolean,
): object {
	const program = hookCommand(argv, platform);
	// No mod runs on Windows, so there is nothing to check.
	const command = platform === 'win32' ? program : unlessAnswered(stateFolder) + program;
	const hooks = [{ type: 'command', command, timeout }];
	return {
		PreCompact: [{ hooks }],
		SessionStart: [{ matcher: 'compact', hooks }],
		...(isModlessPossible && { PostToolUse: [{ matcher: 'Bash', hooks }] }),
	};
}
