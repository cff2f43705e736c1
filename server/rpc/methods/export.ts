import * as z from 'zod';
import { exportFormatOf } from '../../core/transcript/write/file.ts';
import * as protocol from '../../protocol/transcript.ts';
import { exportHistory } from '../../session/compaction/export.ts';
import type { SessionStore } from '../../session/store.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { watcherOf } from './compact.ts';
import * as shapes from './shapes.ts';

const params = z.object({
	sessionId: shapes.sessionId,
	format: z.string(),
	targetTokens: shapes.tokens.nullish(),
	cwd: z.string().nullish(),
	...shapes.workDone,
});

/** The method that writes a history down for a provider or an agent. */
export function exportMethods(store: SessionStore): RequestMethod[] {
	return [
		answers(protocol.contextExport, params, ({ sessionId, format: name, targetTokens, cwd }, context) => {
			const format = exportFormatOf(name);
			return store.run(sessionId, (session) =>
				exportHistory(session, { format, targetTokens, cwd }, watcherOf(context)),
			);
		}),
	];
}
