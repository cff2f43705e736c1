import * as z from 'zod';
import { classifyError } from '../../core/overflow/classify.ts';
import * as protocol from '../../protocol/overflow.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import * as shapes from './shapes.ts';

/** The method that tells overflows from other errors. */
export function overflowMethods(): RequestMethod[] {
	return [
		answers(protocol.contextClassifyError, z.object({ error: shapes.providerError }), ({ error }) =>
			classifyError(error),
		),
	];
}
