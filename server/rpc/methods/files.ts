import * as z from 'zod/mini';
import { toSlashedPath } from '../../core/files/folder.ts';
import { resolvePath } from '../../core/files/touches/path.ts';
import * as protocol from '../../protocol/files.ts';
import { didChangeWatchedFiles } from '../../protocol/lsp.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { fitFilesIntoModel, fitFilesIntoSession } from '../../session/files/budget.ts';
import { readFileForSession, recordAgentRead } from '../../session/files/readFile.ts';
import type { FileService } from '../../session/files/visibleRead.ts';
import type { SessionStore } from '../../session/store/store.ts';
import {
	createSessionDefiner,
	type NotificationMethod,
	onNotification,
	onRequest,
	type RequestMethod,
} from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const lineNumber = z.optional(z.int().check(z.positive()));

const fileRange = { uri: z.string().check(z.minLength(1)), startLine: lineNumber, endLine: lineNumber };

const readParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	...fileRange,
	toolCallId: shapes.textSchema,
});

const didReadParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	...fileRange,
	contentHash: shapes.textSchema,
	messageId: shapes.textSchema,
});

const fitParams = objectSchema({
	sessionId: z.optional(shapes.sessionIdSchema),
	files: z.array(
		objectSchema({
			uri: shapes.textSchema,
			path: shapes.textSchema,
			content: shapes.textSchema,
			size: z.optional(shapes.tokensSchema),
			mediaType: shapes.textSchema,
		}).check(
			z.refine(({ content, size }) => content !== undefined || size !== undefined, {
				error: 'expected content, or size if there is no text',
			}),
		),
	),
	provider: shapes.textSchema,
	model: shapes.textSchema,
	maxOutputTokens: z.optional(shapes.tokensSchema),
	availableTokens: z.optional(shapes.tokensSchema),
	dryRun: shapes.flagSchema,
});

/** Accepts an unknown `type`, because the daemon does not need the kind of a change. */
const fileChangeType = z.catch(z.union([z.literal(1), z.literal(2), z.literal(3)]), 2);

const didChangeParams = objectSchema({
	changes: z.array(objectSchema({ uri: z.string(), type: fileChangeType })),
});

/** Returns the requests about files. */
export function createFileMethods(
	store: SessionStore,
	client: ClientContext,
	fileService: FileService,
): RequestMethod[] {
	return [
		createSessionDefiner(store, client)(protocol.contextReadFile, readParams, (session, params, { signal }) =>
			readFileForSession(fileService, session, params, { client, signal }),
		),
		onRequest(protocol.contextFitFiles, fitParams, ({ sessionId, ...options }, { signal }) =>
			sessionId === undefined
				? fitFilesIntoModel(store.services, options, { client, signal })
				: store.run(sessionId, client, (session) =>
						fitFilesIntoSession(session, options, { client, signal }),
					),
		),
	];
}

export function createFileNotifications(
	store: SessionStore,
	client: ClientContext,
	fileService: FileService,
): NotificationMethod[] {
	return [
		onNotification(protocol.contextDidReadFile, didReadParams, ({ sessionId, ...options }) =>
			store.run(sessionId, client, (session) => recordAgentRead(fileService, session, options)),
		),
		onNotification(didChangeWatchedFiles, didChangeParams, ({ changes }) => {
			fileService.tracker.checkHintedFiles(
				changes.map(({ uri }) => resolvePath(undefined, toSlashedPath(uri) ?? uri)),
			);
		}),
	];
}
