import * as z from 'zod';
import * as protocol from '../../protocol/output.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { object } from '../call/object.ts';
import * as shapes from './shapes.ts';

const limit = z.number().int().nonnegative().optional();

const params = object({
	output: shapes.text,
	uri: shapes.text,
	maxBytes: limit,
	maxLines: limit,
	direction: z.enum(['head', 'tail', 'both']).optional(),
	strategy: z.enum(['plain', 'json', 'failures']).optional(),
	saveToDisk: shapes.flag,
	saveDir: shapes.text,
});

/** Shortens one output. */
export type TruncateToolOutput = (
	request: protocol.TruncateToolOutputParams,
) => Promise<protocol.TruncateToolOutputResult>;

/** The method that shortens tool output. */
export function outputMethods(truncate: TruncateToolOutput): RequestMethod[] {
	return [answers(protocol.contextTruncateToolOutput, params, truncate)];
}
