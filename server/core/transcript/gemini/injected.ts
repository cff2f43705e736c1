import type { InjectedBeginnings } from '../reading/injected.ts';

/** What Gemini CLI, and Qwen Code which was made from it, puts into the user's role. */
export const geminiInjections: InjectedBeginnings = [
	'<session_context>',
	'<state_snapshot>',
	'This is the Gemini CLI. We are setting up the context',
];
