import * as z from 'zod';
import { formatNames } from '../../core/format/formats.ts';
import * as protocol from '../../protocol/validate.ts';
import type { SessionStore } from '../../session/store.ts';
import { validateHistory } from '../../session/validate.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { object } from '../call/object.ts';
import * as shapes from './shapes.ts';

const params = object({
	sessionId: shapes.sessionId.optional(),
	messages: z.array(z.unknown()).optional(),
	provider: shapes.text,
	model: shapes.text,
	format: z.enum(formatNames).optional(),
});

/** The method that checks a history by a provider's rules. */
export function validateMethods(store: SessionStore): RequestMethod[] {
	return [answers(protocol.contextValidate, params, (order) => validateHistory(store, order))];
}
