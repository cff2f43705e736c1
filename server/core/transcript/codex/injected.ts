import type { InjectedBeginnings } from '../reading/injected.ts';

/** What Codex puts into the user's role. */
export const codexInjections: InjectedBeginnings = [
	'# AGENTS.md instructions',
	'<INSTRUCTIONS>',
	'<environment_context>',
	'<user_instructions>',
	'<permissions instructions>',
	'<collaboration_mode>',
	'<turn_aborted>',
	'<skill>',
	'<skills_instructions>',
	'<user_shell_command>',
	'<subagent_notification>',
];
