/** What agents put into the user's role by themselves, whichever agent it was. */

import type { ContentPart } from '../../protocol/conversation.ts';
import { claudeInjections } from './claudeCode/injected.ts';
import { clineInjections } from './cline/injected.ts';
import { codexInjections } from './codex/injected.ts';
import { geminiInjections } from './gemini/injected.ts';
import { isInjectedContent } from './reading/injected.ts';

/** How skills begin that were loaded into a conversation. */
const skills = ['Base directory for this skill:'];

const beginnings = [
	...claudeInjections,
	...clineInjections,
	...codexInjections,
	...geminiInjections,
	...skills,
];

/** How the summaries begin by which agents replace what was said before. */
const summaries = ['This session is being continued from a previous conversation', '<state_snapshot>'];

/** Whether a user message is an agent's own summary of what was said before it. */
export function isSummaryByAnAgent(content: string | readonly ContentPart[]): boolean {
	return isInjectedContent(content, summaries);
}

/** Whether a user message is, by its words, one that some agent wrote itself: its wrappers, notices and summaries. */
export function isInjectedByAnAgent(content: string | readonly ContentPart[]): boolean {
	return isInjectedContent(content, beginnings);
}
