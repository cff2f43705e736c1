/** Methods that need no session: for tool output, errors, and a given history. */

import * as z from 'zod/mini';
import { formatNames } from '../../core/format/names.ts';
import { classifyOutcome } from '../../core/overflow/outcome.ts';
import {
	contextTruncateToolOutput,
	type TruncateToolOutputParams,
	type TruncateToolOutputResult,
} from '../../protocol/output.ts';
import { contextClassifyError } from '../../protocol/overflow.ts';
import { contextValidate } from '../../protocol/validate.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { validateHistory } from '../../session/store/validate.ts';
import { onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const limitSchema = z.optional(z.int().check(z.nonnegative()));

const outputParams = objectSchema({
	output: shapes.textSchema,
	uri: shapes.textSchema,
	maxBytes: limitSchema,
	maxLines: limitSchema,
	direction: z.optional(z.enum(['head', 'tail', 'both'])),
	headRatio: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
	strategy: z.optional(z.enum(['plain', 'json', 'failures'])),
	saveToDisk: shapes.flagSchema,
	saveDir: shapes.textSchema,
});

const errorParams = objectSchema({
	error: z.optional(z.unknown()),
	contextWindow: z.optional(z.int().check(z.positive())),
	usage: z.optional(shapes.usageSchema),
}).check(
	z.refine(({ error, usage }) => error !== undefined || usage !== undefined, {
		path: ['error'],
		error: 'an error (a text or an object) or usage',
	}),
);

const historyParams = objectSchema({
	sessionId: z.optional(shapes.sessionIdSchema),
	messages: z.optional(z.array(z.unknown())),
	provider: shapes.textSchema,
	model: shapes.textSchema,
	format: z.optional(z.enum(formatNames)),
});

/**
 * Returns the methods that need no session.
 * @param truncate truncates the output of one tool call
 */
export function createSessionlessMethods(
	store: SessionStore,
	client: ClientContext,
	truncate: (request: TruncateToolOutputParams) => Promise<TruncateToolOutputResult>,
): RequestMethod[] {
	return [
		onRequest(contextTruncateToolOutput, outputParams, truncate),
		onRequest(contextClassifyError, errorParams, ({ error, contextWindow, usage }) =>
			classifyOutcome(error, { contextWindow, usage }),
		),
		onRequest(contextValidate, historyParams, (params) => validateHistory(store, client, params)),
	];
}
