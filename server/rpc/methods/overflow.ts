import * as z from 'zod';
import { classifyOutcome } from '../../core/overflow/outcome.ts';
import * as protocol from '../../protocol/overflow.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { object } from '../call/object.ts';
import * as shapes from './shapes.ts';

const params = object({
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
		answers(protocol.contextClassifyError, params, ({ error, contextWindow, usage }) =>
			classifyOutcome(error, { contextWindow, usage }),
		),
	];
}
