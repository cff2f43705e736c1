/** Gives the API out. */

import {
	contextClassifyError,
	contextCount,
	contextTruncateToolOutput,
	sessionOpen,
} from '../../../server/protocol/index.ts';
import type { Parts } from '../commands/parts.ts';
import { sessionDefaults } from '../daemon/configuration.ts';
import { plain } from '../daemon/failures.ts';
import { activeFolder } from '../session/folder.ts';
import type { ContextApi, ContextExports, SessionOptions } from './api.ts';
import { apiSession } from './apiSession.ts';

/** What other extensions get of this one. */
export function createExports(parts: Parts): ContextExports {
	const { daemon, tracker } = parts;
	const api: ContextApi = {
		version: 1,
		async openSession({ workspace, ...options }: SessionOptions = {}) {
			const uri = workspace ?? activeFolder()?.uri;
			const folder = uri?.scheme === 'file' ? uri.toString() : undefined;
			const params = {
				...sessionDefaults(uri),
				...options,
				...(folder !== undefined && { workspace: folder }),
			};
			const opened = await daemon.request(sessionOpen, params);
			void tracker.opened(opened.sessionId, folder);
			return apiSession(parts, opened);
		},
		count: (params) => daemon.request(contextCount, params),
		truncateToolOutput: (params) => daemon.request(contextTruncateToolOutput, params),
		classifyError: (error) => daemon.request(contextClassifyError, { error: plain(error) }),
	};
	return {
		getApi(version) {
			if (version === 1) return api;
			throw new Error(`The Context extension has version 1 of its API, not ${String(version)}.`);
		},
	};
}
