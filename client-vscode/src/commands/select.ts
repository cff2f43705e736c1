import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { errorText } from '../../../server/core/failure.ts';
import { formatTokens } from '../../../server/core/figures.ts';
import type { SessionSummary } from '../../../server/protocol/session.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { readSummaryModel } from '../daemon/configuration.ts';
import { filterKeyedEntries, getKeyScope, storeKey } from '../daemon/keys.ts';
import { filterSynced, type SessionReference } from '../session/chooseSession.ts';
import { findActiveFolder, getWorkspaceUri } from '../session/folder.ts';
import { groupSessionOptions, type SessionOption } from '../session/sessionChoices.ts';
import { t } from '../text/language.ts';
import { getShownSession } from '../usage/usage.ts';
import type { EditorServices } from './editorServices.ts';
import { UserMistake } from './failure.ts';

type SessionItem = vscode.QuickPickItem & Partial<Pick<SessionOption, 'reference' | 'path'>>;

function getShownReference({ store }: EditorServices): SessionReference | null {
	const session = getShownSession(store.current());
	if (!session) return null;
	return session.followed ? { transcript: session.followed.path } : { sessionId: session.sessionId };
}

/** Number of the folder's newest sessions whose stats are read to show how full they are. */
const maxMeasuredSessions = 8;

/** Returns the stats of sessions by id; leaves out sessions that cannot be opened. */
async function readStats(
	{ daemon, log }: EditorServices,
	sessionIds: readonly string[],
): Promise<Map<string, ContextStats>> {
	const statsById = new Map<string, ContextStats>();
	const readOne = async (sessionId: string): Promise<void> => {
		try {
			const stats = await daemon.request('context/stats', { sessionId });
			if (stats) statsById.set(sessionId, stats);
		} catch (error) {
			log.warn(`Cannot read how full ${sessionId} is: ${errorText(error)}`);
		}
	};
	await Promise.all(sessionIds.map(readOne));
	return statsById;
}

function selectNewestIds(storedSessions: readonly SessionSummary[], workspace: string | undefined): string[] {
	return filterSynced(storedSessions, workspace)
		.filter(({ messageCount }) => messageCount > 0)
		.sort((a, b) => b.updatedAt - a.updatedAt)
		.slice(0, maxMeasuredSessions)
		.map(({ sessionId }) => sessionId);
}

async function loadSessionItems(services: EditorServices): Promise<SessionItem[]> {
	const workspaceUri = getWorkspaceUri(findActiveFolder());
	const [{ sessions: storedSessions }, transcripts] = await Promise.all([
		services.daemon.request('session/list', {}),
		services.tracker.listTranscripts({ usage: true }),
	]);
	const followedIds = (transcripts ?? []).flatMap(({ sessionId }) => sessionId ?? []);
	const measuredIds = [...selectNewestIds(storedSessions, workspaceUri), ...followedIds];
	const groups = groupSessionOptions({
		storedSessions,
		statsBySession: await readStats(services, measuredIds),
		transcripts,
		workspaceUri,
		shownSession: getShownReference(services),
		isUserChoice: getShownSession(services.store.current())?.isUserChoice === true,
		now: Date.now(),
		homeFolder: homedir(),
	});
	return groups.flatMap(({ title, choices }): SessionItem[] => [
		{ label: title, kind: vscode.QuickPickItemKind.Separator },
		...choices.map((choice) => ({
			...choice,
			...(choice.path && {
				buttons: [{ iconPath: new vscode.ThemeIcon('copy'), tooltip: t('Copy path: {0}', choice.path) }],
			}),
		})),
	]);
}

/** Shows a list that fills once its items are known. Resolves to the selected item; undefined if the user closes the list. */
function pickSession(items: Promise<SessionItem[]>): Promise<SessionItem | undefined> {
	const list = vscode.window.createQuickPick<SessionItem>();
	list.title = t('Select Session');
	list.placeholder = t('The session that the meter shows');
	list.matchOnDetail = true;
	list.busy = true;
	list.show();
	return new Promise<SessionItem | undefined>((resolve, reject) => {
		list.onDidTriggerItemButton(({ item }) => void vscode.env.clipboard.writeText(item.path ?? ''));
		list.onDidAccept(() => resolve(list.activeItems[0]));
		list.onDidHide(() => {
			list.dispose();
			resolve(undefined);
		});
		items.then((loadedItems) => {
			list.items = loadedItems;
			list.busy = false;
		}, reject);
	}).finally(() => list.hide());
}

/** Lets the user select the session to show, or a transcript of another agent to follow. */
export async function selectSession(services: EditorServices): Promise<string | undefined> {
	const picked = await pickSession(loadSessionItems(services));
	if (picked?.reference === undefined) return undefined;
	await services.tracker.choose(picked.reference);
	return getShownSession(services.store.current())?.sessionId;
}

/** Lets the user select the model that writes summaries, or none. */
export async function selectModel(): Promise<void> {
	const models = vscode.lm ? await vscode.lm.selectChatModels({}) : [];
	const currentModel = readSummaryModel();
	const noModel = {
		label: t('No model'),
		description: currentModel === '' ? t('current') : '',
		detail: t('Summaries are made on this machine, from the words of the conversation.'),
		value: '',
	};
	const choices = models.map((model) => ({
		label: model.name,
		description: [
			model.vendor,
			t('{0} tokens', formatTokens(model.maxInputTokens)),
			...(currentModel === `${model.vendor}/${model.id}` ? [t('current')] : []),
		].join(' · '),
		detail: t('Messages that a summary replaces are sent to this model.'),
		value: `${model.vendor}/${model.id}`,
	}));
	const picked = await vscode.window.showQuickPick([noModel, ...choices], {
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

/** Stores the API key of a provider in the editor's secret storage, and restarts the daemon with the new key. */
export async function storeProviderKey({ context, daemon }: EditorServices): Promise<void> {
	const chain = vscode.workspace.getConfiguration('contextd.summarization').get<unknown>('chain');
	const scopes = [...new Set(filterKeyedEntries(chain).map(getKeyScope))];
	if (scopes.length === 0) {
		throw new UserMistake(
			t('The setting contextd.summarization.chain contains no provider that needs a key.'),
			{
				label: t('Open Settings'),
				command: 'workbench.action.openSettings',
				argument: 'contextd.summarization.chain',
			},
		);
	}
	const keyTitle = t('Set API Key for Summaries');
	const scope =
		scopes.length === 1 ? scopes[0] : await vscode.window.showQuickPick(scopes, { title: keyTitle });
	if (scope === undefined) return;
	const key = await vscode.window.showInputBox({
		title: keyTitle,
		prompt: t(
			'API key for {0}. It is stored in this editor’s secret storage; leave it empty to delete it.',
			scope,
		),
		password: true,
		ignoreFocusOut: true,
	});
	if (key === undefined) return;
	await storeKey(context.secrets, context.globalState, scope, key.trim());
	await daemon.restart();
}
