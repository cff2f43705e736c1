/** Methods that need no session: of tool output, of errors, of a history that is handed in. */

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
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { object } from '../call/object.ts';
import * as shapes from './shapes.ts';

const limit = z.optional(z.int().check(z.nonnegative()));

const outputParams = object({
	output: shapes.text,
	uri: shapes.text,
	maxBytes: limit,
	maxLines: limit,
	direction: z.optional(z.enum(['head', 'tail', 'both'])),
	headRatio: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
	strategy: z.optional(z.enum(['plain', 'json', 'failures'])),
	saveToDisk: shapes.flag,
	saveDir: shapes.text,
});

/** Shortens one output. */
export type TruncateToolOutput = (request: TruncateToolOutputParams) => Promise<TruncateToolOutputResult>;

/** The method that shortens tool output. */
export function outputMethods(truncate: TruncateToolOutput): RequestMethod[] {
	return [answers(contextTruncateToolOutput, outputParams, truncate)];
}

const errorParams = object({
	error: z.optional(z.unknown()),
	contextWindow: z.optional(z.int().check(z.positive())),
	usage: z.optional(shapes.usage),
}).check(
	z.refine(({ error, usage }) => error !== undefined || usage !== undefined, {
		path: ['error'],
		error: 'an error (a text or an object) or usage',
	}),
);

/** The method that tells overflows from other errors. */
export function overflowMethods(): RequestMethod[] {
	return [
		answers(contextClassifyError, errorParams, ({ error, contextWindow, usage }) =>
			classifyOutcome(error, { contextWindow, usage }),
		),
	];
}

const historyParams = object({
	sessionId: z.optional(shapes.sessionId),
	messages: z.optional(z.array(z.unknown())),
	provider: shapes.text,
	model: shapes.text,
	format: z.optional(z.enum(formatNames)),
});

/** The method that checks a history by a provider's rules. */
export function validateMethods(store: SessionStore, client: ClientContext): RequestMethod[] {
	return [answers(contextValidate, historyParams, (params) => validateHistory(store, client, params))];
}
