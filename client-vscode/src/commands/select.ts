import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { type SessionSummary, sessionList } from '../../../server/protocol/session.ts';
import { contextStats } from '../../../server/protocol/stats.ts';
import { summaryModel } from '../daemon/configuration.ts';
import { messageOf } from '../daemon/failures.ts';
import { keepKey, keyedLinks, keyPlaceOf } from '../daemon/keys.ts';
import { activeFolder, workspaceOf } from '../session/folder.ts';
import { choiceGroups, type SubjectChoice } from '../session/sessionChoices.ts';
import { fedSessions, type Subject } from '../session/sessions.ts';
import { tokensText } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { sessionOf } from '../usage/usage.ts';
import type { Parts } from './parts.ts';

type Item = vscode.QuickPickItem & Partial<Pick<SubjectChoice, 'subject'>>;

function shownSubject({ store }: Parts): Subject | null {
	const session = sessionOf(store.current());
	if (!session) return null;
	return session.followed ? { transcript: session.followed.path } : { sessionId: session.sessionId };
}

/** Number of sessions, the folder's newest, that are opened to read how full they are. */
const maxOpened = 8;

/** Returns how full the newest sessions of a folder are, by id; leaves out those that cannot be opened. */
async function fullnessOf(
	{ daemon, log }: Parts,
	stored: readonly SessionSummary[],
	workspace: string | undefined,
): Promise<Map<string, number>> {
	const newest = fedSessions(stored, workspace)
		.filter(({ messageCount }) => messageCount > 0)
		.sort((one, other) => other.updatedAt - one.updatedAt)
		.slice(0, maxOpened);
	const ratios = await Promise.all(
		newest.map(async ({ sessionId }): Promise<[string, number][]> => {
			try {
				const stats = await daemon.request(contextStats, { sessionId });
				return stats ? [[sessionId, stats.usageRatio]] : [];
			} catch (error) {
				log.warn(`Cannot read how full ${sessionId} is: ${messageOf(error)}`);
				return [];
			}
		}),
	);
	return new Map(ratios.flat());
}

async function items(parts: Parts): Promise<Item[]> {
	const workspace = workspaceOf(activeFolder());
	const [{ sessions, fullness }, transcripts] = await Promise.all([
		parts.daemon.request(sessionList, {}).then(async ({ sessions }) => ({
			sessions,
			fullness: await fullnessOf(parts, sessions, workspace),
		})),
		parts.tracker.transcripts({ usage: true }),
	]);
	const groups = choiceGroups({
		stored: sessions,
		fullness,
		transcripts,
		workspace,
		shown: shownSubject(parts),
		isChosen: sessionOf(parts.store.current())?.isChosen === true,
		now: Date.now(),
		home: homedir(),
	});
	return groups.flatMap(({ title, choices }): Item[] => [
		{ label: title, kind: vscode.QuickPickItemKind.Separator },
		...choices,
	]);
}

/** Lets the user select the session to show, or a transcript of another agent to follow. */
export async function selectSession(parts: Parts): Promise<string | undefined> {
	const picked = await vscode.window.showQuickPick(items(parts), {
		title: t('Select Session'),
		placeHolder: t('The session whose context is shown'),
		matchOnDescription: true,
		matchOnDetail: true,
	});
	if (picked?.subject === undefined) return undefined;
	await parts.tracker.choose(picked.subject);
	return sessionOf(parts.store.current())?.sessionId;
}

/** Lets the user select the model that writes summaries, or none. */
export async function selectModel(): Promise<void> {
	const models = vscode.lm ? await vscode.lm.selectChatModels({}) : [];
	const current = summaryModel();
	const none = {
		label: t('No model'),
		description: current === '' ? t('current') : '',
		detail: t('Summaries are made on this machine, from the words of the conversation.'),
		value: '',
	};
	const choices = models.map((model) => ({
		label: model.name,
		description: [
			model.vendor,
			t('{0} tokens', tokensText(model.maxInputTokens)),
			...(current === `${model.vendor}/${model.id}` ? [t('current')] : []),
		].join(' · '),
		detail: t('Messages that a summary replaces are sent to this model.'),
		value: `${model.vendor}/${model.id}`,
	}));
	const picked = await vscode.window.showQuickPick([none, ...choices], {
		title: t('Select Summary Model'),
		placeHolder:
			models.length === 0
				? t('This editor offers no language model')
				: t('The model that writes the summary of a compaction'),
	});
	if (!picked) return;
	const configuration = vscode.workspace.getConfiguration('contextd.languageModel');
	await configuration.update('model', picked.value || undefined, vscode.ConfigurationTarget.Global);
}

/** Stores the key of a provider in the editor's secret storage, and restarts the daemon with it. */
export async function setKey({ context, daemon }: Parts): Promise<void> {
	const chain = vscode.workspace.getConfiguration('contextd.summarization').get<unknown>('chain');
	const places = [...new Set(keyedLinks(chain).map(keyPlaceOf))];
	if (places.length === 0)
		throw new Error(t('The setting contextd.summarization.chain contains no provider that needs a key.'));
	const keyTitle = t('Set Key for a Summary Provider');
	const place =
		places.length === 1 ? places[0] : await vscode.window.showQuickPick(places, { title: keyTitle });
	if (place === undefined) return;
	const key = await vscode.window.showInputBox({
		title: keyTitle,
		prompt: t(
			'The key for {0}. It is kept in this editor’s secret storage; an empty input deletes it.',
			place,
		),
		password: true,
		ignoreFocusOut: true,
	});
	if (key === undefined) return;
	await keepKey(context.secrets, context.globalState, place, key.trim());
	await daemon.restart();
}
