import * as z from 'zod/mini';
import { toSlashedPath } from '../../core/files/folder.ts';
import * as protocol from '../../protocol/transcript.ts';
import type { Importer } from '../../session/transcript/import.ts';
import { onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const discoverParams = objectSchema({ workspace: shapes.textSchema, usage: shapes.flagSchema });

const importParams = objectSchema({
	path: z.string().check(z.minLength(1)),
	sessionId: z.optional(shapes.sessionIdSchema),
	workspace: shapes.textSchema,
	follow: shapes.flagSchema,
	counting: z.optional(z.enum(['all', 'tail'])),
	from: z.optional(z.enum(['start', 'window'])),
	...shapes.workDoneSchema,
});

/**
 * Returns the methods that find and import other agents' transcripts.
 * @param getWorkspace returns the client's first workspace folder
 */
export function createTranscriptMethods(
	importer: Importer,
	getWorkspace: () => string | undefined,
): RequestMethod[] {
	return [
		onRequest(protocol.contextDiscover, discoverParams, async (params, { signal }) => ({
			transcripts: await importer.discover(
				{ folder: toSlashedPath(params.workspace ?? getWorkspace()), usage: params.usage },
				signal,
			),
		})),
		onRequest(protocol.contextImport, importParams, (params, { signal, progress }) => {
			progress.begin('Importing transcript');
			progress.report('reading', 0);
			return importer.importTranscript(params, {
				signal,
				report: (step, percentage) => progress.report(step, percentage),
			});
		}),
	];
}
