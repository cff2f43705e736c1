import * as z from 'zod';
import { formatNames } from '../../core/format/formats.ts';
import * as protocol from '../../protocol/validate.ts';
import type { SessionStore } from '../../session/store.ts';
import { validateHistory } from '../../session/validate.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import * as shapes from './shapes.ts';

const params = z.object({
	sessionId: shapes.sessionId.nullish(),
	messages: z.array(z.unknown()).nullish(),
	provider: z.string().nullish(),
	model: z.string().nullish(),
	format: z.enum(formatNames as [string, ...string[]]).nullish(),
});

/** The method that checks a history by a provider's rules. */
export function validateMethods(store: SessionStore): RequestMethod[] {
	return [answers(protocol.contextValidate, params, (order) => validateHistory(store, order))];
}
