/** Provides tools with which the editor's language models ask about the shown session. */

import * as vscode from 'vscode';
import { type EditorServices, requireShownSession } from '../commands/editorServices.ts';
import { formatFailure } from '../commands/failure.ts';
import { getFailureKind, isCancelled } from '../daemon/failures.ts';
import { t } from '../text/language.ts';
import { formatOriginal, formatRecall, shortenQuery } from '../text/searchText.ts';
import { createUsageReport } from '../usage/usageReport.ts';

/** Maximum number of found messages in an answer. */
const maxMatches = 8;
/** Maximum length of a message in an answer, in UTF-16 units. */
const maxMessageUnits = 20_000;

interface RecallInput {
	/** Words, or the id of a message. */
	query: string;
	/** For an id: UTF-16 units of the message to skip. */
	offset?: number;
}

function toToolResult(text: string): vscode.LanguageModelToolResult {
	return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}

function createUsageTool({ store }: EditorServices): vscode.LanguageModelTool<object> {
	return {
		prepareInvocation: () => ({ invocationMessage: t('Reading the context usage') }),
		invoke: () => toToolResult(createUsageReport(store.current())),
	};
}

/** Returns a model's input after checks that the editor does not make. Throws if the input is invalid. */
function parseRecallInput(input: Partial<Record<keyof RecallInput, unknown>>): Required<RecallInput> {
	const { query, offset = 0 } = input;
	if (typeof query !== 'string' || query.trim() === '')
		throw new Error('Expected "query" to be words to search for, or the id of a message.');
	if (typeof offset !== 'number' || !Number.isInteger(offset) || offset < 0)
		throw new Error(`Expected "offset" to be a whole number of at least 0, not ${JSON.stringify(offset)}.`);
	return { query: query.trim(), offset };
}

/** Returns a message in full if the query is its id, otherwise the messages that contain its words. */
async function recall(
	services: EditorServices,
	input: object,
	token: vscode.CancellationToken,
): Promise<string> {
	const { daemon } = services;
	const { query, offset } = parseRecallInput(input);
	const { sessionId } = requireShownSession(services);
	if (!/\s/.test(query)) {
		const params = { sessionId, messageId: query, offset, limit: maxMessageUnits };
		try {
			return formatOriginal(await daemon.request('context/original', params, { token }), offset);
		} catch (error) {
			// A single word is an id only if there is such a message.
			if (getFailureKind(error) !== 'MessageNotFound') throw error;
		}
	}
	const params = { sessionId, query, limit: maxMatches };
	return formatRecall(await daemon.request('context/recall', params, { token }), query, Date.now());
}

function createRecallTool(services: EditorServices): vscode.LanguageModelTool<object> {
	return {
		prepareInvocation({ input }) {
			const query = shortenQuery(parseRecallInput(input).query);
			return {
				invocationMessage: t('Searching the agent session for “{0}”', query),
				confirmationMessages: {
					title: t('Search the agent session?'),
					message: t('The results for “{0}” are sent to the language model of this chat.', query),
				},
			};
		},
		async invoke({ input }, token) {
			try {
				return toToolResult(await recall(services, input, token));
			} catch (error) {
				throw isCancelled(error) ? error : new Error(formatFailure(error));
			}
		},
	};
}

/** Registers the tools; does nothing in an editor without language model tools. */
export function registerTools(services: EditorServices): vscode.Disposable {
	if (typeof vscode.lm?.registerTool !== 'function') return vscode.Disposable.from();
	return vscode.Disposable.from(
		vscode.lm.registerTool('contextd_usage', createUsageTool(services)),
		vscode.lm.registerTool('contextd_recall', createRecallTool(services)),
	);
}
