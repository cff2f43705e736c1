import * as z from 'zod';
import { folderOf } from '../../core/files/folder.ts';
import { resolvePath } from '../../core/files/touches/path.ts';
import * as protocol from '../../protocol/files.ts';
import type { FileDesk } from '../../session/files/desk.ts';
import { didReadFile, readFile } from '../../session/files/readFile.ts';
import { fitIntoModel, fitIntoSession } from '../../session/files/room.ts';
import type { SessionStore } from '../../session/store.ts';
import { answers, listens } from '../call/define.ts';
import type { NotificationMethod, RequestMethod } from '../call/method.ts';
import * as shapes from './shapes.ts';

const line = z.number().int().positive().nullish();

const read = shapes.session.extend({
	uri: z.string().min(1),
	startLine: line,
	endLine: line,
	toolCallId: z.string().nullish(),
});

const didRead = shapes.session.extend({
	uri: z.string().min(1),
	startLine: line,
	endLine: line,
	contentHash: z.string().nullish(),
	messageId: z.string().nullish(),
});

const fit = z.object({
	sessionId: shapes.sessionId.nullish(),
	files: z.array(z.object({ uri: z.string().nullish(), path: z.string().nullish(), content: z.string() })),
	provider: z.string().nullish(),
	model: z.string().nullish(),
	maxOutputTokens: shapes.tokens.nullish(),
	availableTokens: shapes.tokens.nullish(),
});

const didChange = z.object({ changes: z.array(z.object({ uri: z.string() })) });

/** The requests about files. */
export function fileMethods(store: SessionStore, desk: FileDesk): RequestMethod[] {
	return [
		answers(protocol.contextReadFile, read, ({ sessionId, ...order }, { signal }) =>
			store.run(sessionId, (session) => readFile(desk, session, order, signal)),
		),
		answers(protocol.contextFitFiles, fit, ({ sessionId, ...order }) =>
			sessionId === undefined
				? fitIntoModel(store.world, order)
				: store.run(sessionId, (session) => fitIntoSession(session, order)),
		),
	];
}

/** What a client tells of files. */
export function fileNotifications(store: SessionStore, desk: FileDesk): NotificationMethod[] {
	return [
		listens(protocol.contextDidReadFile, didRead, ({ sessionId, ...order }) =>
			store.run(sessionId, (session) => didReadFile(desk, session, order)),
		),
		{
			method: 'workspace/didChangeWatchedFiles',
			params: didChange,
			handle({ changes }: { changes: { uri: string }[] }) {
				desk.tracker.hint(changes.map(({ uri }) => resolvePath(undefined, folderOf(uri) ?? uri)));
			},
		},
	];
}
