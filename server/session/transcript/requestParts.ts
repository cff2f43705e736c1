/** Records the parts of an agent's requests besides the messages: system prompt, tools, and others. */

import type { RecordedRequest } from '../../core/transcript/index.ts';
import type { DetailPart, StatsDetails } from '../../protocol/stats.ts';
import { recordLateUsage } from '../append.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import { selectMeasure } from '../session.ts';
import { updateSession } from '../store/sessions.ts';
import type { SessionStore } from '../store/store.ts';

/** Length of a request's key, in characters: enough to distinguish the request from the previous one. */
const keyLength = 16;

/** Records the parts of a session's requests besides the messages, unless they are already stored. */
export async function recordRequest(
	store: SessionStore,
	client: ClientContext,
	sessionId: string,
	request: RecordedRequest,
): Promise<void> {
	const { services } = store;
	const key = services.digest(JSON.stringify(request)).slice(0, keyLength);
	const isKnown = await store.run(sessionId, client, ({ state }) => state.info.told?.key === key);
	if (isKnown) return;
	await updateSession(store, client, {
		sessionId,
		request: {
			systemPrompt: request.systemPrompt.map(({ text }) => text).join('\n'),
			toolDefinitions: request.tools.flatMap(({ definitions }) => definitions),
		},
	});
	await store.run(sessionId, client, async (session) => {
		const measure = selectMeasure(session);
		const countTextTokens = (text: string): number =>
			measure.countRequest({ systemPrompt: text }).systemPrompt;
		const parts: Required<StatsDetails> = {
			systemPrompt: sumByName(
				request.systemPrompt.map(({ name, text }) => ({ name, tokens: countTextTokens(text) })),
			),
			toolDefinitions: sumByName(
				request.tools.map(({ name, definitions }) => ({
					name,
					tokens: measure.countRequest({ toolDefinitions: definitions }).toolDefinitions,
				})),
			),
			other: sumByName(request.other.map(({ name, text }) => ({ name, tokens: countTextTokens(text) }))),
		};
		await commit(session, { t: 'set', change: { told: { key, parts } } });
		// The newest usage figure includes these parts. Reporting that figure again lets the meter subtract the parts.
		const anchor = session.state.rows[session.state.meter.anchor?.seq ?? -1];
		if (anchor?.usage && session.state.meter.anchor?.isVoid === false) {
			const { id: messageId, usage, stopReason } = anchor;
			await recordLateUsage(session, client, { messageId, usage, stopReason });
		}
	});
}

/** Adds up parts of the same name; returns the sums, largest first. */
function sumByName(parts: readonly DetailPart[]): DetailPart[] {
	const sums = new Map<string, number>();
	for (const { name, tokens } of parts) sums.set(name, (sums.get(name) ?? 0) + tokens);
	return [...sums].map(([name, tokens]) => ({ name, tokens })).sort((a, b) => b.tokens - a.tokens);
}
