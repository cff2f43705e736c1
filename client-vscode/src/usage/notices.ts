/** Notifies the user when the context window reaches a level, and of compactions that another client requested. */

import * as vscode from 'vscode';
import type { Daemon } from '../daemon/daemon.ts';
import { t } from '../text/language.ts';
import { formatTokenChange } from '../text/receiptText.ts';
import type { CompactionRuns } from './compactionRun.ts';
import { formatHeadroom } from './headroom.ts';
import { chooseSpaceSavingAction } from './menu.ts';
import { formatMeterPercent } from './meter.ts';
import { decideNotice, parseNoticeLevels } from './notice.ts';
import { getShownSession, type Measurement, type ShownSession, type UsageState } from './usage.ts';
import type { UsageStore } from './usageStore.ts';

/** Milliseconds without activity after which a session gets no notices, because its stats are old. */
const maxIdleMs = 10 * 60_000;

/** Shows notices at the configured levels, and notices of compactions that another client requested. */
export function showNotices(store: UsageStore, daemon: Daemon, runs: CompactionRuns): vscode.Disposable {
	/** The level reported last, by session; the first stats of a session are never reported. */
	const reportedLevels = new Map<string, number>();
	const mutedSessions = new Set<string>();
	/** Sessions with a notice that the user has not answered. */
	const openNotices = new Set<string>();

	async function showNotice(session: ShownSession, { stats }: Measurement): Promise<void> {
		const owner = session.followed ? `${session.followed.label}: ` : '';
		const action = chooseSpaceSavingAction(session);
		const [previewLabel, muteLabel] = [t('Preview'), t('Mute')];
		const text = `${owner}${t('The context is {0} full. {1}.', formatMeterPercent(stats), formatHeadroom(stats, session))}`;
		// The editor cannot replace a notice. Hiding the old notice moves it to the notification centre, below the new notice.
		if (openNotices.has(session.sessionId)) await vscode.commands.executeCommand('notifications.hideToasts');
		const notice = vscode.window.showWarningMessage(
			text,
			...(action ? [action.title] : []),
			previewLabel,
			muteLabel,
		);
		openNotices.add(session.sessionId);
		const answer = await notice;
		openNotices.delete(session.sessionId);
		if (answer === muteLabel) mutedSessions.add(session.sessionId);
		if (action && answer === action.title) await vscode.commands.executeCommand(action.command);
		if (answer === previewLabel) await vscode.commands.executeCommand('contextd.preview');
	}

	function onUsage(usage: UsageState): void {
		if (usage.kind !== 'known') return;
		const { session, measurement } = usage;
		const { usageRatio, lastActivityAt = measurement.at } = measurement.stats;
		const lastLevel = reportedLevels.get(session.sessionId);
		const levels = parseNoticeLevels(vscode.workspace.getConfiguration('contextd').get<unknown>('notifyAt'));
		const { reportedLevel, dueLevel } = decideNotice(levels, lastLevel ?? 0, usageRatio);
		reportedLevels.set(session.sessionId, reportedLevel);
		const isRunning = measurement.at - lastActivityAt < maxIdleMs;
		if (dueLevel === null || lastLevel === undefined || !isRunning || mutedSessions.has(session.sessionId))
			return;
		void showNotice(session, measurement);
	}

	return vscode.Disposable.from(
		store.onChange(onUsage),
		daemon.onDidCompact(({ sessionId, result }) => {
			const isShown = getShownSession(store.current())?.sessionId === sessionId;
			if (!isShown || !result.compacted || runs.isRunning(sessionId) || runs.hasMade(result.compactionId))
				return;
			const text = t('The context was compacted: {0} tokens of history.', formatTokenChange(result));
			vscode.window.setStatusBarMessage(`$(fold) ${text}`, 10_000);
		}),
	);
}
