import * as z from 'zod';
import { classifyError } from '../../core/overflow/classify.ts';
import * as protocol from '../../protocol/overflow.ts';
import { answers } from '../define.ts';
import type { RequestMethod } from '../method.ts';
import * as common from '../params/common.ts';

/** The method that tells overflows from other errors. */
export function overflowMethods(): RequestMethod[] {
	return [
		answers(protocol.contextClassifyError, z.object({ error: common.providerError }), ({ error }) =>
			classifyError(error),
		),
	];
}
