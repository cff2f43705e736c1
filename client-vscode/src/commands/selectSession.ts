import * as vscode from 'vscode';
import { sessionList } from '../../../server/protocol/session.ts';
import { contextDiscover, contextImport } from '../../../server/protocol/transcript.ts';
import { agoText } from '../figures.ts';
import { activeFolder, workspaceOf } from '../folder.ts';
import type { Parts } from '../parts.ts';
import { sessionOf } from '../usage.ts';

interface Choice extends vscode.QuickPickItem {
	sessionId?: string;
	transcript?: string;
}

function heading(label: string): Choice {
	return { label, kind: vscode.QuickPickItemKind.Separator };
}

async function storedChoices({ daemon, store }: Parts, workspace: string | undefined): Promise<Choice[]> {
	const { sessions } = await daemon.request(sessionList, {});
	const current = sessionOf(store.current())?.sessionId;
	const choices = sessions.map((session) => ({
		own: session.workspace === workspace,
		choice: {
			label: `${session.sessionId === current ? '$(check) ' : ''}${session.title || session.sessionId}`,
			description: [session.model, `${session.messageCount} messages`].filter(Boolean).join(' · '),
			detail: `${agoText(Date.now() - session.updatedAt)}${session.workspace ? ` in ${session.workspace}` : ''}`,
			sessionId: session.sessionId,
		},
	}));
	const pick = (own: boolean) => choices.filter((one) => one.own === own).map(({ choice }) => choice);
	return [heading('Sessions of this folder'), ...pick(true), heading('Other sessions'), ...pick(false)];
}

async function transcriptChoices({ daemon }: Parts, workspace: string | undefined): Promise<Choice[]> {
	const { transcripts } = await daemon.request(contextDiscover, { ...(workspace && { workspace }) });
	const choices = transcripts
		.filter(({ sessionId }) => sessionId === undefined)
		.map(({ path, agent, title, updatedAt }) => ({
			label: `$(history) ${title || agent}`,
			description: `${agent} · ${agoText(Date.now() - updatedAt)}`,
			detail: path,
			transcript: path,
		}));
	return [heading('Follow the transcript of another agent'), ...choices];
}

/** Lets the user choose the session to show, or a transcript of another agent to follow. */
export async function selectSession(parts: Parts): Promise<string | undefined> {
	const workspace = workspaceOf(activeFolder());
	const choices = Promise.all([storedChoices(parts, workspace), transcriptChoices(parts, workspace)]);
	const picked = await vscode.window.showQuickPick<Choice>(
		choices.then((lists) => lists.flat()),
		{
			title: 'Select Session',
			placeHolder: 'The session whose context is shown',
			matchOnDescription: true,
			matchOnDetail: true,
		},
	);
	if (picked?.sessionId) await parts.tracker.choose(picked.sessionId);
	if (!picked?.transcript) return picked?.sessionId;
	const params = { path: picked.transcript, follow: true, ...(workspace && { workspace }) };
	const { sessionId } = await parts.daemon.request(contextImport, params);
	await parts.tracker.choose(sessionId);
	return sessionId;
}
