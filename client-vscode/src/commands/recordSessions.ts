import * as vscode from 'vscode';
import { t } from '../text/language.ts';
import type { EditorServices } from './editorServices.ts';

/** Turns the recording of all agents' sessions on this machine on or off, after asking the user. */
export async function recordSessions({ daemon }: EditorServices): Promise<void> {
	const status = await daemon.request('recorder/status', {});
	const [question, detail, action] = status.recording
		? [t('Stop recording sessions?'), t('What is recorded stays in {0}.', status.folder), t('Stop Recording')]
		: [
				t('Record the sessions of all agents on this machine?'),
				t(
					'contextd keeps a copy of each session, so that nothing is lost when an agent compacts or deletes it.\n\nThe copies are in {0}. Only you can read them, and nothing leaves this machine. The oldest sessions are removed when the copies take more than {1} GiB, or after {2} days.',
					status.folder,
					Math.round((status.maxBytes / 2 ** 30) * 10) / 10,
					status.maxDays,
				),
				t('Record Sessions'),
			];
	const answer = await vscode.window.showInformationMessage(question, { modal: true, detail }, action);
	if (answer !== action) return;
	const { recording } = await daemon.request('recorder/set', { recording: !status.recording });
	const text = recording ? t('Sessions are being recorded.') : t('Sessions are no longer recorded.');
	vscode.window.setStatusBarMessage(`$(${recording ? 'record' : 'circle-slash'}) ${text}`, 5000);
}
