/** The members of LSP's `InitializeParams` that the daemon reads. */

import * as z from 'zod';
import { invalidParams } from './call/errors.ts';
import { object } from './call/object.ts';
import { check } from './call/params.ts';
import { traceValue } from './call/trace.ts';

/** A capability of a wrong type counts as missing: clients may use the name for something else. */
const flag = z.boolean().optional().catch(undefined);

/** A group of capabilities; one of a wrong type counts as missing. */
function group<Shape extends z.ZodRawShape>(shape: Shape) {
	return object(shape).optional().catch(undefined);
}

const schema = object({
	processId: z.number().int().optional(),
	clientInfo: object({ name: z.string(), version: z.string().optional() }).optional(),
	rootPath: z.string().optional(),
	rootUri: z.string().optional(),
	workspaceFolders: z.array(object({ uri: z.string(), name: z.string().default('') })).optional(),
	capabilities: object({
		workspace: group({
			configuration: flag,
			didChangeConfiguration: group({ dynamicRegistration: flag }),
		}),
		experimental: group({
			contextd: group({ notifications: flag, summarize: flag, confirmCompaction: flag }),
		}),
	}).optional(),
	initializationOptions: z.unknown().optional(),
	/** Another word counts as `off`. */
	trace: traceValue.optional().catch(undefined),
});

/** The params of `initialize`, checked; a member that was null is absent. Other members of LSP are dropped. */
export type CheckedInitializeParams = z.output<typeof schema>;

/** Returns the checked params. Throws -32602 if a member is not what LSP says. */
export function checkInitializeParams(given: unknown): CheckedInitializeParams {
	const checked = check<CheckedInitializeParams>(schema, given);
	if (checked.problem !== undefined) throw invalidParams(checked.problem);
	return checked.value;
}
