import type { InjectedPrefixes } from '../reading/injected.ts';

/** Texts that Codex puts into the user's role. */
export const codexInjections: InjectedPrefixes = [
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
