/** `context/validate`: whether a provider takes a history. */

import { Failure } from '../../core/failure.ts';
import { formatOfProvider, readerOf, validate } from '../../core/format/validity/validate.ts';
import type { FormatName } from '../../protocol/conversation.ts';
import type { ValidateParams, ValidateResult } from '../../protocol/validate.ts';
import type { ClientContext } from '../clientContext.ts';
import { renderHistory } from '../history.ts';
import { inSlices } from '../slices.ts';
import type { SessionStore } from './store.ts';

function formatOf({ format, provider }: ValidateParams): FormatName {
	return format ?? (provider === undefined ? 'contextd' : formatOfProvider(provider));
}

/**
 * Checks messages as they are, or a session's history as it would go out. Fails with `InvalidParams` unless
 * exactly one of the two is named.
 */
export async function validateHistory(
	store: SessionStore,
	client: ClientContext,
	params: ValidateParams,
): Promise<ValidateResult> {
	const { sessionId, messages } = params;
	const format = formatOf(params);
	if (messages !== undefined && sessionId === undefined) {
		const validity = await inSlices(validate(messages, readerOf(format, params)), store.world);
		return { ...validity, format };
	}
	if (messages !== undefined || sessionId === undefined) {
		const came = sessionId === undefined ? 'neither' : 'both';
		throw new Failure('InvalidParams', `sessionId: expected either it or messages, got ${came}`);
	}
	return store.run(sessionId, client, async (session) => {
		const { info } = session.state;
		const reader = { provider: params.provider ?? info.provider, model: params.model ?? info.model };
		const rendered = await renderHistory(session, format, { reader });
		const validity = await inSlices(validate(rendered.messages, readerOf(format, reader)), store.world);
		return { ...validity, format, repairs: rendered.repairs };
	});
}
