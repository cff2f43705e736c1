/** The settings hooks of the plugin: what every version of Claude Code runs, also where it may run no mod. */

import { shellWord } from '../../transcript/agentPlace.ts';

/** Seconds that Claude Code waits; the program itself gives up before. */
const timeout = 10;

/** What Claude Code's shell starts: one absolute command, to which the environment says nothing. */
function hookCommand(argv: readonly string[], platform: NodeJS.Platform): string {
	const words = argv.map((word) => shellWord(platform === 'win32' ? word.replaceAll('\\', '/') : word));
	// Programs of Windows cannot start without some of its variables; those that Node heeds are emptied.
	const clean = platform === 'win32' ? ['NODE_OPTIONS=', 'NODE_PATH='] : ['/usr/bin/env', '-i'];
	return [...clean, ...words].join(' ');
}

/** In the words of Claude Code's settings, the hooks that a program answers. */
export function settingsHooks(argv: readonly string[], platform: NodeJS.Platform): object {
	const hooks = [{ type: 'command', command: hookCommand(argv, platform), timeout }];
	return {
		PreCompact: [{ hooks }],
		SessionStart: [{ matcher: 'compact', hooks }],
		PostToolUse: [{ matcher: 'Bash', hooks }],
	};
}
