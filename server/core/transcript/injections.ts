/** Recognizes messages in the user's role that an agent wrote, for all agents. */

import type { ContentPart } from '../../protocol/conversation.ts';
import { claudeInjections } from './claudeCode/injected.ts';
import { clineInjections } from './cline/injected.ts';
import { codexInjections } from './codex/injected.ts';
import { geminiInjections } from './gemini/injected.ts';
import { isInjectedContent } from './reading/injected.ts';

/** Beginnings of skills that were loaded into a conversation. */
const skills = ['Base directory for this skill:'];

const beginnings = [
	...claudeInjections,
	...clineInjections,
	...codexInjections,
	...geminiInjections,
	...skills,
];

/** Beginnings of agents' own summaries, which replace earlier messages. */
const summaries = ['This session is being continued from a previous conversation', '<state_snapshot>'];

/** Beginnings of notes about an agent's own environment, such as its folder and its sandbox. */
const environmentNotes = [
	'<environment_context>',
	'<session_context>',
	'This is the Gemini CLI. We are setting up the context',
];

/** Whether a user message holds for its agent alone: a reminder, or a note about the agent's environment. */
export function isNoteOfOneAgent(content: string | readonly ContentPart[]): boolean {
	return isInjectedContent(content, environmentNotes);
}

/** Whether a user message is an agent's own summary of earlier messages. */
export function isSummaryByAnAgent(content: string | readonly ContentPart[]): boolean {
	return isInjectedContent(content, summaries);
}

/** Whether an agent wrote a user message, judged by its words: wrappers, notices and summaries. */
export function isInjectedByAnAgent(content: string | readonly ContentPart[]): boolean {
	return isInjectedContent(content, beginnings);
}
