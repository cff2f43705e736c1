import { join } from 'node:path';

/** Where agents keep their files; all of it given, so that nothing is looked up behind the caller's back. */
export interface Surroundings {
	environment: Readonly<Record<string, string | undefined>>;
	/** The user's home folder. */
	home: string;
	platform: NodeJS.Platform;
}

function named({ environment }: Surroundings, variable: string): string | undefined {
	const value = environment[variable];
	return value === '' ? undefined : value;
}

/** The folder of Claude Code. */
export function claudeHome(around: Surroundings): string {
	return named(around, 'CLAUDE_CONFIG_DIR') ?? join(around.home, '.claude');
}

/** The folder of Codex. */
export function codexHome(around: Surroundings): string {
	return named(around, 'CODEX_HOME') ?? join(around.home, '.codex');
}

/** The folder of Gemini CLI. */
export function geminiHome(around: Surroundings): string {
	return join(named(around, 'GEMINI_CLI_HOME') ?? around.home, '.gemini');
}

/** The folder of pi. */
export function piHome(around: Surroundings): string {
	return named(around, 'PI_CODING_AGENT_DIR') ?? join(around.home, '.pi', 'agent');
}

/** The folder of Copilot CLI. */
export function copilotHome(around: Surroundings): string {
	return named(around, 'COPILOT_HOME') ?? join(around.home, '.copilot');
}

/** The folder of OpenCode. */
export function openCodeHome(around: Surroundings): string {
	return join(named(around, 'XDG_DATA_HOME') ?? join(around.home, '.local', 'share'), 'opencode');
}

/** The folder of Kimi Code. */
export function kimiHome(around: Surroundings): string {
	return named(around, 'KIMI_CODE_HOME') ?? join(around.home, '.kimi-code');
}

/** The folder of Grok Build. */
export function grokHome(around: Surroundings): string {
	return named(around, 'GROK_HOME') ?? join(around.home, '.grok');
}

/** The folder in which Qwen Code keeps its chats. */
export function qwenHome(around: Surroundings): string {
	return named(around, 'QWEN_RUNTIME_DIR') ?? named(around, 'QWEN_HOME') ?? join(around.home, '.qwen');
}

/** The folder of OpenClaw. */
export function openClawHome(around: Surroundings): string {
	return named(around, 'OPENCLAW_STATE_DIR') ?? join(around.home, '.openclaw');
}

/** The folder of the sessions of Cline's terminal and desktop programs. */
export function clineSessionsHome(around: Surroundings): string {
	const data = named(around, 'CLINE_DATA_DIR');
	const home = named(around, 'CLINE_DIR') ?? join(around.home, '.cline');
	return named(around, 'CLINE_SESSION_DATA_DIR') ?? join(data ?? join(home, 'data'), 'sessions');
}

/** VS Code and the editors made from it, by the names of their folders. */
const editors = ['Code', 'Code - Insiders', 'Cursor', 'VSCodium', 'Windsurf'];
const remoteEditors = ['.vscode-server', '.vscode-server-insiders', '.cursor-server', '.windsurf-server'];

/** The folders in which editors keep what extensions store for all workspaces. */
export function globalStorages(around: Surroundings): string[] {
	const { home, platform } = around;
	const local =
		platform === 'darwin'
			? join(home, 'Library', 'Application Support')
			: platform === 'win32'
				? (named(around, 'APPDATA') ?? join(home, 'AppData', 'Roaming'))
				: (named(around, 'XDG_CONFIG_HOME') ?? join(home, '.config'));
	return [
		...editors.map((editor) => join(local, editor, 'User', 'globalStorage')),
		...remoteEditors.map((editor) => join(home, editor, 'data', 'User', 'globalStorage')),
	];
}
