/** Searches the shown session as the user types. */

import * as vscode from 'vscode';
import { contextRecall, type RecallMatch, type RecallResult } from '../../../server/protocol/history.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { messageOf } from '../daemon/failures.ts';
import { LiveSearch } from '../search/liveSearch.ts';
import { t } from '../text/language.ts';
import { foundRange } from '../text/occurrence.ts';
import { foundEntry, foundText, noMatchItem } from '../text/searchText.ts';
import { failureText, showFailure } from './failure.ts';
import { type Parts, shownSession } from './parts.ts';

/** Maximum number of listed messages. */
const maxListed = 50;

/** An entry of the list. The editor must not filter entries: the daemon matches words in the whole message. */
interface Entry extends vscode.QuickPickItem {
	alwaysShow: true;
	/** Absent for entries that only report something. */
	match?: RecallMatch;
}

function report(label: string, detail?: string): Entry[] {
	return [{ label, detail, alwaysShow: true }];
}

function entriesOf(result: RecallResult, query: string): Entry[] {
	const { matches, searched } = result;
	if (matches.length === 0) {
		const { label, detail } = noMatchItem(query, searched);
		return report(label, detail);
	}
	const now = Date.now();
	return matches.map((match) => ({ ...foundEntry(match, query, now), alwaysShow: true }));
}

async function recall(
	daemon: Daemon,
	sessionId: string,
	query: string,
	signal: AbortSignal,
): Promise<RecallResult> {
	const cancelling = new vscode.CancellationTokenSource();
	signal.addEventListener('abort', () => cancelling.cancel(), { once: true });
	try {
		return await daemon.request(
			contextRecall,
			{ sessionId, query, limit: maxListed },
			{ token: cancelling.token },
		);
	} finally {
		cancelling.dispose();
	}
}

/** Opens a found message in full, with the hit selected. */
async function openMatch(
	{ documents }: Parts,
	sessionId: string,
	match: RecallMatch,
	query: string,
): Promise<void> {
	const { messageId, excerpt } = match;
	const document = await vscode.workspace.openTextDocument(await documents.original(sessionId, messageId));
	const found = foundRange(document.getText(), excerpt, query);
	const selection =
		found && new vscode.Range(document.positionAt(found.start), document.positionAt(found.end));
	await vscode.window.showTextDocument(document, { preview: true, ...(selection && { selection }) });
}

/** Lets the user search the shown session, and opens the message that they select. */
export function searchSession(parts: Parts): void {
	const { daemon, log } = parts;
	const { sessionId } = shownSession(parts);
	const title = t('Search This Session');
	const list = vscode.window.createQuickPick<Entry>();
	let answered = '';
	const show = (entries: Entry[], found?: string): void => {
		list.title = found === undefined ? title : `${title}: ${found}`;
		list.items = entries;
	};
	const live = new LiveSearch<RecallResult>({
		search: (query, signal) => recall(daemon, sessionId, query, signal),
		onResult(result, query) {
			answered = query;
			if (result) show(entriesOf(result, query), result.total > 0 ? foundText(result) : undefined);
			else show([]);
		},
		onFailure(error) {
			log.error(`Searching the session: ${messageOf(error)}`);
			show(report(`$(error) ${t('The search failed')}`, failureText(error)));
		},
		onBusy(isBusy) {
			list.busy = isBusy;
		},
	});
	list.title = title;
	list.placeholder = t('Words in messages, calls and results, also in those that were compacted away');
	// The editor highlights the query in texts that it matches itself.
	list.matchOnDetail = true;
	list.onDidChangeValue((text) => live.type(text));
	list.onDidAccept(() => {
		const [entry] = list.selectedItems;
		if (!entry?.match) return;
		list.hide();
		void showFailure(openMatch(parts, sessionId, entry.match, answered), log);
	});
	list.onDidHide(() => {
		live.dispose();
		list.dispose();
	});
	list.show();
}
