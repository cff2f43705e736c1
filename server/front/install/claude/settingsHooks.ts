/** The plugin's hooks in the format of settings. Every version of Claude Code runs them, even one that runs no mods. */

import { join } from 'node:path';
import { channelFolderName, markSuffix } from '../../../core/channel/marks.ts';
import { quoteShellWord } from '../../output/printable.ts';
import type { Machine } from '../parts/agent.ts';

/** Seconds that Claude Code waits for a hook; the hook's program stops earlier. */
const timeoutSeconds = 10;

/**
 * Returns the start of a shell command that exits at once if the plugin already answers this session and still runs.
 *
 * Starting Node to find that out would take 0.1 s. Every Claude Code with mods sets `CLAUDE_CODE_SESSION_ID`. If
 * anything needed for the check is missing, the program starts and checks by itself.
 */
function createAnswerCheck(stateFolder: string): string {
	const folder = quoteShellWord(join(stateFolder, channelFolderName));
	return `mark=${folder}/claude-"$CLAUDE_CODE_SESSION_ID"${markSuffix}; [ -e "$mark" ] && { read -r socket; read -r pid; } <"$mark" && kill -0 "$pid" 2>/dev/null && exit 0; exec `;
}

/** Returns the command for Claude Code's shell, with absolute paths and without the environment. */
function createHookCommand(argv: readonly string[], platform: NodeJS.Platform): string {
	const words = argv.map((word) => quoteShellWord(platform === 'win32' ? word.replaceAll('\\', '/') : word));
	// Programs on Windows need some of the environment, so only the variables that Node reads are cleared.
	const cleanEnv = platform === 'win32' ? ['NODE_OPTIONS=', 'NODE_PATH='] : ['/usr/bin/env', '-i'];
	return [...cleanEnv, ...words].join(' ');
}

/**
 * Returns the hooks in the format of Claude Code's settings.
 * @param argv the program that answers the hooks
 * @param mayRunWithoutMods whether mods may not run; if so, a hook also runs after each Bash call
 */
export function createSettingsHooks(
	argv: readonly string[],
	{ platform, stateFolder }: Pick<Machine, 'platform' | 'stateFolder'>,
	mayRunWithoutMods: boolean,
): object {
	const program = createHookCommand(argv, platform);
	// No mod runs on Windows, so none can have answered.
	const command = platform === 'win32' ? program : createAnswerCheck(stateFolder) + program;
	const hooks = [{ type: 'command', command, timeout: timeoutSeconds }];
	return {
		PreCompact: [{ hooks }],
		SessionStart: [{ matcher: 'compact', hooks }],
		...(mayRunWithoutMods && { PostToolUse: [{ matcher: 'Bash', hooks }] }),
	};
}
