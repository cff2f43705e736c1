/** The settings hooks of the plugin: what every version of Claude Code runs, also where it may run no mod. */

import { join } from 'node:path';
import { channelFolderName, markSuffix } from '../../../core/channel/marks.ts';
import { shellWord } from '../../transcript/agentPlace.ts';
import type { InstallPlace } from '../parts/agent.ts';

/** Seconds that Claude Code waits; the program itself gives up before. */
const timeout = 10;

/**
 * Ends the shell if the plugin's daemon has answered this session and still runs: a Node process would cost each Bash
 * call 0.1 s only to find that out. `CLAUDE_CODE_SESSION_ID` is set by every Claude Code that runs mods. If anything is
 * missing here, the program starts and checks by itself.
 */
function unlessAnswered(stateFolder: string): string {
	const folder = shellWord(join(stateFolder, channelFolderName));
	return `mark=${folder}/claude-"$CLAUDE_CODE_SESSION_ID"${markSuffix}; [ -e "$mark" ] && { read -r socket; read -r pid; } <"$mark" && kill -0 "$pid" 2>/dev/null && exit 0; exec `;
}

/** The command for Claude Code's shell: absolute, and independent of the environment. */
function hookCommand(argv: readonly string[], platform: NodeJS.Platform): string {
	const words = argv.map((word) => shellWord(platform === 'win32' ? word.replaceAll('\\', '/') : word));
	// Programs of Windows cannot start without some of its variables; those that Node heeds are emptied.
	const clean = platform === 'win32' ? ['NODE_OPTIONS=', 'NODE_PATH='] : ['/usr/bin/env', '-i'];
	return [...clean, ...words].join(' ');
}

/**
 * Returns the hooks in the words of Claude Code's settings.
 * @param argv the program that answers them
 * @param isModlessPossible whether mods may be missing: only then is something started after each Bash call
 */
export function settingsHooks(
	argv: readonly string[],
	{ platform, stateFolder }: Pick<InstallPlace, 'platform' | 'stateFolder'>,
	isModlessPossible: boolean,
): object {
	const command = hookCommand(argv, platform);
	const hooks = [{ type: 'command', command, timeout }];
	const rare = { PreCompact: [{ hooks }], SessionStart: [{ matcher: 'compact', hooks }] };
	if (!isModlessPossible) return rare;
	// No mod runs on Windows: there is nothing to look for.
	const each = platform === 'win32' ? command : unlessAnswered(stateFolder) + command;
	return {
		...rare,
		PostToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: each, timeout }] }],
	};
}
