/** Methods that need no session: of tool output, of errors, of a history that is handed in. */

import * as z from 'zod';
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

const limit = z.number().int().nonnegative().optional();

const outputParams = object({
	output: shapes.text,
	uri: shapes.text,
	maxBytes: limit,
	maxLines: limit,
	direction: z.enum(['head', 'tail', 'both']).optional(),
	headRatio: z.number().min(0).max(1).optional(),
	strategy: z.enum(['plain', 'json', 'failures']).optional(),
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
	error: z.unknown().optional(),
	contextWindow: z.number().int().positive().optional(),
	usage: shapes.usage.optional(),
}).refine(({ error, usage }) => error !== undefined || usage, {
	path: ['error'],
	message: 'an error (a text or an object) or usage',
});

/** The method that tells overflows from other errors. */
export function overflowMethods(): RequestMethod[] {
	return [
		answers(contextClassifyError, errorParams, ({ error, contextWindow, usage }) =>
			classifyOutcome(error, { contextWindow, usage }),
		),
	];
}

const historyParams = object({
	sessionId: shapes.sessionId.optional(),
	messages: z.array(z.unknown()).optional(),
	provider: shapes.text,
	model: shapes.text,
	format: z.enum(formatNames).optional(),
});

/** The method that checks a history by a provider's rules. */
export function validateMethods(store: SessionStore, client: ClientContext): RequestMethod[] {
	return [answers(contextValidate, historyParams, (params) => validateHistory(store, client, params))];
}
