import * as vscode from 'vscode';
import { sessionList } from '../../../server/protocol/session.ts';
import { activeFolder, workspaceOf } from '../session/folder.ts';
import { choiceGroups, type SubjectChoice } from '../session/sessionChoices.ts';
import type { Subject } from '../session/sessions.ts';
import { sessionOf } from '../usage/usage.ts';
import type { Parts } from './parts.ts';

type Item = vscode.QuickPickItem & Partial<Pick<SubjectChoice, 'subject'>>;

function shownSubject({ store }: Parts): Subject | null {
	const session = sessionOf(store.current());
	if (!session) return null;
	return session.followed ? { transcript: session.followed.path } : { sessionId: session.sessionId };
}

async function items(parts: Parts): Promise<Item[]> {
	const [{ sessions }, transcripts] = await Promise.all([
		parts.daemon.request(sessionList, {}),
		parts.tracker.transcripts({ usage: true }),
	]);
	const groups = choiceGroups({
		stored: sessions,
		transcripts,
		workspace: workspaceOf(activeFolder()),
		shown: shownSubject(parts),
		isChosen: sessionOf(parts.store.current())?.isChosen === true,
		now: Date.now(),
	});
	return groups.flatMap(({ title, choices }): Item[] => [
		{ label: title, kind: vscode.QuickPickItemKind.Separator },
		...choices,
	]);
}

/** Lets the user choose the session to show, or a transcript of another agent to follow. */
export async function selectSession(parts: Parts): Promise<string | undefined> {
	const picked = await vscode.window.showQuickPick(items(parts), {
		title: 'Select Session',
		placeHolder: 'The session whose context is shown',
		matchOnDescription: true,
		matchOnDetail: true,
	});
	if (picked?.subject === undefined) return undefined;
	await parts.tracker.choose(picked.subject);
	return sessionOf(parts.store.current())?.sessionId;
}
