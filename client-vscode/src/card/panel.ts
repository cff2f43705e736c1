/** Shows cards in tabs: one tab for the plan of each session, and one for each past compaction. */

import * as vscode from 'vscode';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import { requestCompaction } from '../commands/compact.ts';
import { continueInAgent } from '../commands/continueInAgent.ts';
import { type EditorServices, requireShownSession } from '../commands/editorServices.ts';
import { showFailure } from '../commands/failure.ts';
import { openMessageOf } from '../commands/openMessage.ts';
import { undoCompaction } from '../commands/undo.ts';
import { openHistoryDiff } from '../documents/documents.ts';
import { formatMessageBody } from '../text/historyText.ts';
import { t } from '../text/language.ts';
import { formatReceipt } from '../text/receiptText.ts';
import { getMeasurement } from '../usage/usage.ts';
import { fillPage, getTabIconUris } from '../webview/fillPage.ts';
import {
	type CardCommand,
	type CardInput,
	type CardOutput,
	type CardSources,
	createCardModel,
	type OpenedMessage,
} from './model.ts';
import { isUndone, type PreviewParams, planWithProgress, readPastCompaction } from './sources.ts';

/** Maximum length of a message that a card shows; the editor can show the rest. UTF-16 units. */
const maxOpenedUnits = 200_000;

const openCards = new Set<Card>();

/** Shows a compaction in its tab, or in a new tab. `params` are the parameters of a planned compaction. */
function showCard(services: EditorServices, sources: CardSources, params: PreviewParams): void {
	const openCard = [...openCards].find((card) => card.isAbout(sources));
	if (openCard) openCard.show(sources, params);
	else new Card(services, sources, params);
}

function formatTabTitle({ compaction: { entry } }: CardSources): string {
	if (!entry) return t('Compaction Preview');
	const time = new Date(entry.at).toLocaleTimeString(vscode.env.language, { timeStyle: 'short' });
	return t('Compaction of {0}', time);
}

/** A tab that shows a planned compaction, or the result of a compaction. */
class Card {
	readonly #services: EditorServices;
	readonly #panel: vscode.WebviewPanel;
	#sources: CardSources;
	#params: PreviewParams;
	/** The newest known revision of the session. */
	#revision: number | undefined;
	/** Whether a command is running. Further commands are then ignored, because they would act on outdated content. */
	#isBusy = false;

	constructor(services: EditorServices, sources: CardSources, params: PreviewParams) {
		this.#services = services;
		this.#sources = sources;
		this.#params = params;
		this.#revision = sources.stats.revision;
		const { extensionUri } = services.context;
		const title = formatTabTitle(sources);
		this.#panel = vscode.window.createWebviewPanel('contextd.card', title, vscode.ViewColumn.Active);
		this.#panel.iconPath = getTabIconUris(extensionUri);
		const subscriptions = vscode.Disposable.from(
			this.#panel.webview.onDidReceiveMessage((message: CardOutput) =>
				showFailure(this.#handleMessage(message), services.log),
			),
			services.daemon.onDidChange(({ sessionId, stats }) => {
				if (sessionId === this.#sources.session.sessionId)
					void showFailure(this.#onSessionChange(stats), services.log);
			}),
		);
		this.#panel.onDidDispose(() => {
			subscriptions.dispose();
			openCards.delete(this);
		});
		openCards.add(this);
		fillPage(this.#panel.webview, extensionUri, { name: 'card', title, waitingText: t('Reading…') });
	}

	/** Returns whether the tab shows the plan or the past compaction to which these sources belong. */
	isAbout({ session, compaction }: CardSources): boolean {
		return (
			session.sessionId === this.#sources.session.sessionId &&
			compaction.entry?.compactionId === this.#sources.compaction.entry?.compactionId
		);
	}

	/** Shows a newer state of the tab's compaction, and brings the tab to the front. */
	show(sources: CardSources, params: PreviewParams): void {
		this.#params = params;
		this.#update(sources);
		this.#panel.reveal();
	}

	#update(sources: CardSources): void {
		this.#sources = sources;
		this.#revision = sources.stats.revision;
		this.#panel.title = formatTabTitle(sources);
		this.#post({ type: 'show', model: createCardModel(sources) });
	}

	#post(message: CardInput): void {
		void this.#panel.webview.postMessage(message);
	}

	async #handleMessage(message: CardOutput): Promise<void> {
		const { sessionId } = this.#sources.session;
		switch (message.type) {
			case 'ready':
				this.#post({ type: 'translations', translations: vscode.l10n.bundle ?? {} });
				this.#post({ type: 'show', model: createCardModel(this.#sources) });
				return;
			case 'open':
				this.#post({ type: 'opened', message: await this.#readMessage(message.messageId) });
				return;
			case 'openInEditor':
				await openMessageOf(this.#services, sessionId, message.messageId);
				return;
			case 'command':
				if (this.#isBusy) return;
				this.#isBusy = true;
				try {
					await this.#runCommand(message.command);
				} finally {
					this.#isBusy = false;
				}
		}
	}

	async #readMessage(messageId: string): Promise<OpenedMessage> {
		const { session, before, after } = this.#sources;
		const { sessionId } = session;
		const params = { sessionId, messageId, limit: maxOpenedUnits };
		const { content, hasMore } = await this.#services.daemon.request('context/original', params);
		const messageBefore = before.find(({ id }) => id === messageId);
		const messageAfter = after.find(({ id }) => id === messageId);
		const textAfter = messageAfter ? formatMessageBody(messageAfter) : null;
		const isSame = messageBefore === undefined || textAfter === formatMessageBody(messageBefore);
		return { messageId, text: content, hasMore, ...(!isSame && { textAfter }) };
	}

	async #runCommand(command: CardCommand): Promise<void> {
		const { session, compaction } = this.#sources;
		switch (command) {
			case 'compact':
				return this.#compact();
			case 'undo':
				if (compaction.entry)
					await undoCompaction(this.#services, session.sessionId, compaction.entry.compactionId);
				return this.#markUndone();
			case 'compare':
				return openHistoryDiff(
					this.#services.documents,
					session.sessionId,
					t('{0} as Text', formatTabTitle(this.#sources)),
					this.#sources,
				);
			case 'planAgain': {
				const plan = await planWithProgress(this.#services.daemon, session, this.#params);
				if (plan && 'sources' in plan) this.#update(plan.sources);
				else if (plan) void vscode.window.showInformationMessage(formatReceipt(plan.refusal));
				return;
			}
			case 'continueInAgent':
				this.#requireShown();
				return continueInAgent(this.#services, this.#params.free);
			case 'takeAlong':
			case 'installPlugin':
				this.#requireShown();
				await vscode.commands.executeCommand(`contextd.${command}`);
		}
	}

	/** Throws if another session is shown in the meter, because commands of the extension act on the shown session. */
	#requireShown(): void {
		if (requireShownSession(this.#services).sessionId !== this.#sources.session.sessionId)
			throw new Error(t('Another session is shown now. Select the session of this preview first.'));
	}

	/** Makes the planned compaction, and shows its result instead of the plan. */
	async #compact(): Promise<void> {
		const { session, stats } = this.#sources;
		const result = await requestCompaction(this.#services, session.sessionId, this.#params);
		if (!result) return;
		const sources =
			result.compactionId && (await readPastCompaction(this.#services.daemon, session, result.compactionId));
		if (!sources) {
			void vscode.window.showInformationMessage(formatReceipt(result));
			return;
		}
		const { cache, reason, reasonCode, warnings } = result;
		const compaction = { ...sources.compaction, cache, reason, reasonCode, warnings };
		// These are the plan's stats, because the headline shows the window before the compaction.
		this.#update({ ...sources, stats, compaction });
	}

	async #markUndone(): Promise<void> {
		const { session, compaction } = this.#sources;
		const { entry } = compaction;
		if (
			!entry ||
			entry.isUndone ||
			!(await isUndone(this.#services.daemon, session.sessionId, entry.compactionId))
		)
			return;
		this.#update({ ...this.#sources, compaction: { ...compaction, entry: { ...entry, isUndone: true } } });
	}

	/** Marks the plan as outdated if the session changed, or the compaction as undone if another client undid it. */
	async #onSessionChange(stats: ContextStats | null): Promise<void> {
		const { compaction, stats: plannedStats, isOutdated } = this.#sources;
		const hasNewRevision = stats?.revision !== this.#revision;
		this.#revision = stats?.revision;
		if (compaction.entry) {
			if (hasNewRevision) await this.#markUndone();
		} else if ((hasNewRevision || stats?.messageCount !== plannedStats.messageCount) && !isOutdated)
			this.#update({ ...this.#sources, isOutdated: true });
	}
}

/** Shows what a compaction of the shown session would change, without changing anything. */
export async function showPreview(services: EditorServices, params: PreviewParams = {}): Promise<void> {
	const plan = await planWithProgress(services.daemon, requireShownSession(services), params);
	if (plan === null) void vscode.window.showInformationMessage(t('The session has no messages yet.'));
	else if ('refusal' in plan) void vscode.window.showInformationMessage(formatReceipt(plan.refusal));
	else showCard(services, plan.sources, params);
}

/** Shows what a past compaction of the shown session changed. */
export async function showPastCompaction(services: EditorServices, compactionId: string): Promise<void> {
	const sources = await readPastCompaction(services.daemon, requireShownSession(services), compactionId);
	if (sources) showCard(services, sources, {});
	else void vscode.window.showInformationMessage(t('This compaction is already undone.'));
}

/** Shows what a compaction of the shown session changed, by default the newest compaction that is not undone. */
export async function showCompactionChanges(services: EditorServices, compactionId?: unknown): Promise<void> {
	const newest = getMeasurement(services.store.current())?.stats.undoable?.compactionId;
	const id = typeof compactionId === 'string' ? compactionId : newest;
	if (id === undefined)
		void vscode.window.showInformationMessage(t('No compaction of this session is in effect.'));
	else await showPastCompaction(services, id);
}
