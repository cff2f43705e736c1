import * as z from 'zod';
import { exportFormatOf } from '../../core/transcript/write/file.ts';
import * as protocol from '../../protocol/transcript.ts';
import { exportHistory } from '../../session/compaction/export.ts';
import type { SessionStore } from '../../session/store.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { object } from '../call/object.ts';
import { workContextOf } from './compact.ts';
import * as shapes from './shapes.ts';

const params = object({
	sessionId: shapes.sessionId,
	format: z.string().transform(exportFormatOf),
	targetTokens: shapes.tokens.optional(),
	cwd: shapes.text,
	...shapes.workDone,
});

/** The method that writes a history down for a provider or an agent. */
export function exportMethods(store: SessionStore): RequestMethod[] {
	return [
		answers(protocol.contextExport, params, ({ sessionId, ...asked }, context) =>
			store.run(sessionId, (session) => exportHistory(session, asked, workContextOf(context))),
		),
	];
}
