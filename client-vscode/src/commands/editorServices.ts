/** What the commands of the extension share. */

import type * as vscode from 'vscode';
import type { Daemon } from '../daemon/daemon.ts';
import type { SessionDocuments } from '../documents/documents.ts';
import type { SessionTracker } from '../session/sessionTracker.ts';
import { t } from '../text/language.ts';
import type { CompactionRuns } from '../usage/compactionRun.ts';
import { getShownSession, type ShownSession } from '../usage/usage.ts';
import type { UsageStore } from '../usage/usageStore.ts';
import { UserMistake } from './failure.ts';

export interface EditorServices {
	context: vscode.ExtensionContext;
	daemon: Daemon;
	store: UsageStore;
	tracker: SessionTracker;
	documents: SessionDocuments;
	runs: CompactionRuns;
	log: vscode.LogOutputChannel;
}

/** Returns the shown session. Throws a `UserMistake` if no session is shown. */
export function requireShownSession({ store }: EditorServices): ShownSession {
	const session = getShownSession(store.current());
	if (!session) {
		const select = { label: t('Select Session'), command: 'contextd.selectSession' };
		throw new UserMistake(t('There is no session in this folder yet. Select one first.'), select);
	}
	return session;
}
