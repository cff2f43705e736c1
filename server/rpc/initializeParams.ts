/** The members of LSP's `InitializeParams` that the daemon reads. */

import * as z from 'zod/mini';
import { requireValid } from './call/define.ts';
import { objectSchema } from './call/object.ts';
import { traceValue } from './call/trace.ts';

/** A boolean capability. Another type counts as absent, because clients may use the name for something else. */
const flagOrAbsent = z.catch(z.optional(z.boolean()), undefined);

/** A group of capabilities; a value of the wrong type counts as absent. */
function createGroupSchema<Shape extends z.core.$ZodShape>(shape: Shape) {
	return z.catch(z.optional(objectSchema(shape)), undefined);
}

const initializeSchema = objectSchema({
	processId: z.optional(z.int()),
	clientInfo: z.optional(objectSchema({ name: z.string(), version: z.optional(z.string()) })),
	rootPath: z.optional(z.string()),
	rootUri: z.optional(z.string()),
	workspaceFolders: z.optional(z.array(objectSchema({ uri: z.string(), name: z._default(z.string(), '') }))),
	capabilities: z.optional(
		objectSchema({
			workspace: createGroupSchema({
				configuration: flagOrAbsent,
				didChangeConfiguration: createGroupSchema({ dynamicRegistration: flagOrAbsent }),
			}),
			window: createGroupSchema({ showDocument: createGroupSchema({ support: flagOrAbsent }) }),
			experimental: createGroupSchema({
				contextd: createGroupSchema({
					notifications: flagOrAbsent,
					summarize: flagOrAbsent,
					confirmCompaction: flagOrAbsent,
				}),
			}),
		}),
	),
	initializationOptions: z.optional(z.unknown()),
	/** What to trace; an unknown value counts as `off`. */
	trace: z.catch(z.optional(traceValue), undefined),
});

/** The validated params of `initialize`. Null members are absent, and other LSP members are dropped. */
export type CheckedInitializeParams = z.output<typeof initializeSchema>;

/** Returns the validated params. Throws -32602 if a member violates LSP. */
export function checkInitializeParams(params: unknown): CheckedInitializeParams {
	return requireValid<CheckedInitializeParams>(initializeSchema, params);
}
