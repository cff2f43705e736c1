import type { InjectedPrefixes } from '../reading/injected.ts';

/** Texts that Gemini CLI, and Qwen Code derived from it, put into the user's role. */
export const geminiInjections: InjectedPrefixes = [
	'<session_context>',
	'<state_snapshot>',
	'This is the Gemini CLI. We are setting up the context',
];
