/** Searches the shown session, or all recorded sessions, while the user types. */

import * as vscode from 'vscode';
import { errorText } from '../../../server/core/failure.ts';
import type { RecallMatch, RecallResult } from '../../../server/protocol/history.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { LiveSearch } from '../search/liveSearch.ts';
import { t } from '../text/language.ts';
import { findMatchRange } from '../text/occurrence.ts';
import { createNoMatch, createNoRecordedMatch, formatMatchCount, toMatchItem } from '../text/searchText.ts';
import { type EditorServices, requireShownSession } from './editorServices.ts';
import { formatFailure, showFailure } from './failure.ts';
import { openMessageOf } from './openMessage.ts';

/** Maximum number of listed messages. */
const maxListedMessages = 50;

/** An entry of the result list. The editor must not filter entries: the daemon matches words in the whole message. */
interface SearchEntry extends vscode.QuickPickItem {
	alwaysShow: true;
	/** The message that the entry opens; absent if the entry only shows a text. */
	match?: RecallMatch;
}

function createTextEntry(label: string, detail?: string): SearchEntry[] {
	return [{ label, detail, alwaysShow: true }];
}

function toSearchEntries(
	{ matches, searched, pending = 0 }: RecallResult,
	query: string,
	sessionId: string | undefined,
): SearchEntry[] {
	if (matches.length === 0) {
		const { label, detail } =
			sessionId === undefined ? createNoRecordedMatch(query, pending) : createNoMatch(query, searched);
		return createTextEntry(label, detail);
	}
	const now = Date.now();
	return matches.map((match) => ({ ...toMatchItem(match, query, now), alwaysShow: true }));
}

/** Searches one session; without an id, all recorded sessions. Aborting the signal cancels the request. */
async function requestMatches(
	daemon: Daemon,
	sessionId: string | undefined,
	query: string,
	signal: AbortSignal,
): Promise<RecallResult> {
	const source = new vscode.CancellationTokenSource();
	signal.addEventListener('abort', () => source.cancel(), { once: true });
	try {
		return await daemon.request(
			'context/recall',
			{ ...(sessionId !== undefined && { sessionId }), query, limit: maxListedMessages },
			{ token: source.token },
		);
	} finally {
		source.dispose();
	}
}

/** Opens a found message of a recorded session, which the daemon reads like a transcript. */
async function openRecorded(services: EditorServices, match: RecallMatch, query: string): Promise<void> {
	const path = `recording:${match.recordingId}`;
	const { sessionId } = await services.daemon.request('context/import', { path, counting: 'tail' });
	await openMatch(services, sessionId, match, query);
}

/** Opens a found message in full, with the match selected. */
function openMatch(
	services: EditorServices,
	sessionId: string,
	{ messageId, excerpt }: RecallMatch,
	query: string,
): Promise<void> {
	return openMessageOf(services, sessionId, messageId, (text) => findMatchRange(text, excerpt, query));
}

/** Shows a search for the shown session, and opens the message that the user selects. */
export function searchSession(services: EditorServices): void {
	const { daemon, log } = services;
	const { sessionId } = requireShownSession(services);
	const list = vscode.window.createQuickPick<SearchEntry>();
	const allSessionsButton = {
		iconPath: new vscode.ThemeIcon('library'),
		tooltip: t('Search all recorded sessions'),
	};
	const thisSessionButton = {
		iconPath: new vscode.ThemeIcon('arrow-left'),
		tooltip: t('Search this session only'),
	};
	let title = t('Search This Session');
	let searchedId: string | undefined = sessionId;
	let answeredQuery = '';
	const showEntries = (entries: SearchEntry[], countText?: string): void => {
		list.title = countText === undefined ? title : `${title}: ${countText}`;
		list.items = entries;
	};
	const search = new LiveSearch<RecallResult>({
		search: (query, signal) => requestMatches(daemon, searchedId, query, signal),
		onResult(result, query) {
			answeredQuery = query;
			if (result) showEntries(toSearchEntries(result, query, searchedId), formatMatchCount(result));
			else showEntries([]);
		},
		onFailure(error) {
			log.error(`Searching: ${errorText(error)}`);
			showEntries(createTextEntry(`$(error) ${t('The search failed')}`, formatFailure(error)));
		},
		onBusy(isBusy) {
			list.busy = isBusy;
		},
	});
	list.title = title;
	list.buttons = [allSessionsButton];
	list.onDidTriggerButton((button) => {
		const isAll = button === allSessionsButton;
		searchedId = isAll ? undefined : sessionId;
		title = isAll ? t('Search All Recorded Sessions') : t('Search This Session');
		list.buttons = [isAll ? thisSessionButton : allSessionsButton];
		showEntries([]);
		search.updateQuery(list.value);
	});
	list.placeholder = t('Words in messages, calls and results, also in those that were compacted away');
	// The editor highlights the query in texts that it matches itself.
	list.matchOnDetail = true;
	list.onDidChangeValue((text) => search.updateQuery(text));
	list.onDidAccept(() => {
		const [entry] = list.selectedItems;
		if (!entry?.match) return;
		list.hide();
		const { match } = entry;
		const task =
			match.recordingId === undefined
				? openMatch(services, sessionId, match, answeredQuery)
				: openRecorded(services, match, answeredQuery);
		void showFailure(task, log);
	});
	list.onDidHide(() => {
		search.dispose();
		list.dispose();
	});
	list.show();
}
