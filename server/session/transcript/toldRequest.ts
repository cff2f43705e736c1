/** What an agent tells of its requests beside the messages. */

import type { ToldRequest } from '../../core/transcript/reading/events.ts';
import type { DetailPart, StatsDetails } from '../../protocol/stats.ts';
import { reportUsage } from '../append.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import { measureOf } from '../session.ts';
import { updateSession } from '../store/sessions.ts';
import type { SessionStore } from '../store/store.ts';

/** Of a request's digest: enough to tell it from the one before. */
const keyLength = 16;

/** Takes what the requests hold beside the messages, and what that is made of; nothing where it is known already. */
export async function takeRequest(
	store: SessionStore,
	client: ClientContext,
	sessionId: string,
	request: ToldRequest,
): Promise<void> {
	const { world } = store;
	const key = world.digest(JSON.stringify(request)).slice(0, keyLength);
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
		const measure = measureOf(session);
		const textTokens = (text: string): number => measure.countRequest({ systemPrompt: text }).systemPrompt;
		const parts: Required<StatsDetails> = {
			systemPrompt: joined(
				request.systemPrompt.map(({ name, text }) => ({ name, tokens: textTokens(text) })),
			),
			toolDefinitions: joined(
				request.tools.map(({ name, definitions }) => ({
					name,
					tokens: measure.countRequest({ toolDefinitions: definitions }).toolDefinitions,
				})),
			),
			other: joined(request.other.map(({ name, text }) => ({ name, tokens: textTokens(text) }))),
		};
		await commit(session, { t: 'set', change: { told: { key, parts } } });
		// The newest figure covered it all along: the meter is anchored anew, with what it is made of.
		const anchor = session.state.rows[session.state.meter.anchor?.seq ?? -1];
		if (anchor?.usage && session.state.meter.anchor?.void === false) {
			const { id: messageId, usage, stopReason } = anchor;
			await reportUsage(session, client, { messageId, usage, stopReason });
		}
	});
}

/** Parts of one name as one, largest first. */
function joined(parts: readonly DetailPart[]): DetailPart[] {
	const sums = new Map<string, number>();
	for (const { name, tokens } of parts) sums.set(name, (sums.get(name) ?? 0) + tokens);
	return [...sums].map(([name, tokens]) => ({ name, tokens })).sort((a, b) => b.tokens - a.tokens);
}
