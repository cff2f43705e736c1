import * as z from 'zod/mini';
import { parseExportFormat } from '../../core/transcript/index.ts';
import { contextExport } from '../../protocol/transcript.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { exportHistory } from '../../session/compaction/export.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import { beginCompactionProgress, freeSelectionSchema } from './compact.ts';
import * as shapes from './shapes.ts';

const params = objectSchema({
	sessionId: shapes.sessionIdSchema,
	format: z.pipe(z.string(), z.transform(parseExportFormat)),
	compact: shapes.flagSchema,
	targetTokens: z.optional(shapes.tokensSchema),
	free: freeSelectionSchema,
	cwd: shapes.textSchema,
	agentProvider: shapes.textSchema,
	...shapes.workDoneSchema,
});

/** Returns the method that exports a history for a provider or an agent. */
export function createExportMethods(store: SessionStore, client: ClientContext): RequestMethod[] {
	return [
		onRequest(contextExport, params, ({ sessionId, ...asked }, context) =>
			store.run(sessionId, client, (session) =>
				exportHistory(session, asked, beginCompactionProgress(client, context)),
			),
		),
	];
}
