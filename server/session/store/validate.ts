/** `context/validate`: checks whether a provider would accept a history. */

import { Failure } from '../../core/failure.ts';
import { findProviderFormat, findReader, validateMessages } from '../../core/format/validity/validate.ts';
import type { ValidateParams, ValidateResult } from '../../protocol/validate.ts';
import type { ClientContext } from '../clientContext.ts';
import { renderHistory } from '../history.ts';
import { runInSlices } from '../services.ts';
import type { SessionStore } from './store.ts';

/**
 * Checks the given messages unchanged, or a session's history as it would be sent to the provider.
 * Fails with `InvalidParams` unless either messages or a session are given.
 */
export async function validateHistory(
	store: SessionStore,
	client: ClientContext,
	params: ValidateParams,
): Promise<ValidateResult> {
	const { sessionId, messages, provider } = params;
	const format = params.format ?? (provider === undefined ? 'contextd' : findProviderFormat(provider));
	if (messages !== undefined && sessionId === undefined) {
		const validity = await runInSlices(
			validateMessages(messages, findReader(format, params)),
			store.services,
		);
		return { ...validity, format };
	}
	if (messages !== undefined || sessionId === undefined) {
		const givenMembers = sessionId === undefined ? 'neither' : 'both';
		throw new Failure(
			'InvalidParams',
			`sessionId: expected either sessionId or messages, got ${givenMembers}`,
		);
	}
	return store.run(sessionId, client, async (session) => {
		const { info } = session.state;
		const reader = { provider: params.provider ?? info.provider, model: params.model ?? info.model };
		const renderedHistory = await renderHistory(session, format, { reader });
		const validity = await runInSlices(
			validateMessages(renderedHistory.messages, findReader(format, reader)),
			store.services,
		);
		return { ...validity, format, repairs: renderedHistory.repairs };
	});
}
