import * as z from 'zod';
import * as protocol from '../../protocol/output.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';

const params = z.object({
	output: z.string().nullish(),
	uri: z.string().nullish(),
	maxBytes: z.number().int().nonnegative().nullish(),
	maxLines: z.number().int().nonnegative().nullish(),
	direction: z.enum(['head', 'tail', 'both']).nullish(),
	strategy: z.enum(['plain', 'json', 'failures']).nullish(),
	saveToDisk: z.boolean().nullish(),
	saveDir: z.string().nullish(),
});

/** Shortens one output. */
export type TruncateToolOutput = (
	request: protocol.TruncateToolOutputParams,
) => Promise<protocol.TruncateToolOutputResult>;

/** The method that shortens tool output. */
export function outputMethods(truncate: TruncateToolOutput): RequestMethod[] {
	return [answers(protocol.contextTruncateToolOutput, params, truncate)];
}
