/** Implements the API for other extensions. */

import * as vscode from 'vscode';
import { convertError } from '../../../server/client/errors.ts';
import type { CompactReceipt, ContextStats, OpenResult } from '../../../server/protocol/index.ts';
import type { EditorServices } from '../commands/editorServices.ts';
import { readSessionDefaults } from '../daemon/configuration.ts';
import { findActiveFolder } from '../session/folder.ts';
import type { ContextApi, ContextExports, ContextSession, CurrentSession, SessionOptions } from './api.ts';
import { toCurrentSession } from './currentSession.ts';

/** Returns the extension's exports, through which other extensions get the API. */
export function createExports(services: EditorServices): ContextExports {
	const { daemon, tracker, store } = services;
	const currentSessionEmitter = new vscode.EventEmitter<CurrentSession | null>();
	let lastText = JSON.stringify(toCurrentSession(store.current()));
	services.context.subscriptions.push(
		currentSessionEmitter,
		store.onChange((usage) => {
			const currentSession = toCurrentSession(usage);
			const text = JSON.stringify(currentSession);
			if (text === lastText) return;
			lastText = text;
			currentSessionEmitter.fire(currentSession);
		}),
	);
	const api: ContextApi = {
		version: 1,
		get currentSession() {
			return toCurrentSession(store.current());
		},
		onDidChangeCurrentSession: currentSessionEmitter.event,
		async openSession({ workspace, ...options }: SessionOptions = {}) {
			const uri = workspace ?? findActiveFolder()?.uri;
			const folder = uri?.scheme === 'file' ? uri.toString() : undefined;
			const params = {
				...readSessionDefaults(uri),
				...options,
				...(folder !== undefined && { workspace: folder }),
			};
			const openResult = await daemon.request('session/open', params);
			void tracker.addOpenedSession(openResult.sessionId, folder);
			return createSessionApi(services, openResult);
		},
		count: (params) => daemon.request('context/count', params),
		truncateToolOutput: (params) => daemon.request('context/truncateToolOutput', params),
		classifyError: (error) => daemon.request('context/classifyError', { error: convertError(error) }),
	};
	return {
		getApi(version) {
			if (version === 1) return api;
			throw new Error(`contextd has version 1 of its API, not ${String(version)}.`);
		},
	};
}

/** Returns the API of one session. */
function createSessionApi(
	{ daemon, runs }: EditorServices,
	{ sessionId, messageCount }: OpenResult,
): ContextSession {
	const statsEmitter = new vscode.EventEmitter<ContextStats | null>();
	const compactionEmitter = new vscode.EventEmitter<CompactReceipt>();
	const subscriptions = vscode.Disposable.from(
		statsEmitter,
		compactionEmitter,
		daemon.onDidChange((params) => params.sessionId === sessionId && statsEmitter.fire(params.stats)),
		daemon.onDidCompact((params) => params.sessionId === sessionId && compactionEmitter.fire(params.result)),
	);
	return {
		sessionId,
		messageCount,
		onDidChange: statsEmitter.event,
		onDidCompact: compactionEmitter.event,
		append: (messages, { format, token } = {}) =>
			daemon.request('session/append', { sessionId, messages: [...messages], format }, { token }),
		async reportUsage(messageId, usage, stopReason) {
			return (await daemon.request('session/reportUsage', { sessionId, messageId, usage, stopReason })).stats;
		},
		prepare: ({ format, token, request } = {}) =>
			daemon.request('context/prepare', { sessionId, format, request }, { token }),
		recover: (error, { format, token, request, attempt } = {}) =>
			daemon.request(
				'context/recover',
				{ sessionId, error: convertError(error), format, request, attempt },
				{ token },
			),
		stats: (request) => daemon.request('context/stats', { sessionId, request }),
		compact: ({ instructions, targetTokens } = {}) =>
			runs.run(sessionId, (options) =>
				daemon.request(
					'context/compact',
					{ sessionId, instructions, targetTokens, includeMessages: false },
					options,
				),
			),
		undo: (compactionId) => daemon.request('context/undo', { sessionId, compactionId }),
		rewind: (messageId) => daemon.request('session/rewind', { sessionId, messageId }),
		async pin({ messageIds, uris }, pinned) {
			const params = { sessionId, messageIds, uris: uris?.map((uri) => uri.toString()), pinned };
			await daemon.request('context/pin', params);
		},
		async update(change) {
			await daemon.request('session/update', { sessionId, ...change });
		},
		readFile: (uri, lines = {}) =>
			daemon.request('context/readFile', { sessionId, uri: uri.toString(), ...lines }),
		dispose: () => subscriptions.dispose(),
	};
}
