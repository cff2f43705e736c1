/** Describes the view while there is nothing to measure: the reason, and what the user can do. */

import { t } from '../text/language.ts';
import type { ViewAction } from './model.ts';

export interface EmptyView {
	reason: string;
	/** What to do next, in sentences; empty if there is nothing to do. */
	advice: string[];
	actions: ViewAction[];
}

/** Names of some agents whose sessions are followed, as a list for people. */
const agentNames = 'Claude Code, Codex, Gemini CLI, Copilot CLI, OpenCode, pi, Cline';

/** Returns the view for a state in which the user can only wait. */
export function createWaitingView(reason: string): EmptyView {
	return { reason, advice: [], actions: [] };
}

/** Returns the view for a folder without sessions. */
export function createNoSessionView({
	hasFolder,
	isFollowing,
}: {
	hasFolder: boolean;
	isFollowing: boolean;
}): EmptyView {
	const walkthrough: ViewAction = { command: 'openWalkthrough', text: t('Get to Know Your Context Window') };
	if (!hasFolder) {
		return {
			reason: t('No folder is open.'),
			advice: [t('Open the folder in which your agent works.')],
			actions: [{ command: 'openFolder', text: t('Open Folder') }, walkthrough],
		};
	}
	const select: ViewAction = { command: 'selectSession', text: t('Select Session') };
	const reason = t('No agent session in this folder yet.');
	if (!isFollowing) {
		return {
			reason,
			advice: [t('Sessions of other agents are not shown, because contextd.followTranscripts is off.')],
			actions: [{ command: 'openFollowing', text: t('Open Settings') }, select, walkthrough],
		};
	}
	return {
		reason,
		advice: [
			t('Start your agent in this folder, for example with {0} in a terminal.', 'claude'),
			t('Within seconds, this view shows what fills its context.'),
			t('contextd recognizes sessions of {0} and others.', agentNames),
		],
		actions: [{ command: 'openTerminal', text: t('Open Terminal') }, select, walkthrough],
	};
}
