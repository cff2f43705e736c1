/** `context/recall`: searches the whole session for words, including hidden messages. */

import { tagRows } from '../core/history/tags.ts';
import { excerptAround, type Hit, matchText, parseQuery, rankHits } from '../core/recall/rank.ts';
import { present } from '../core/shape.ts';
import { mapInSlices } from '../core/slices.ts';
import type { Asked } from '../protocol/declaration.ts';
import type { RecallMatch, RecallParams, RecallResult } from '../protocol/history.ts';
import { messagesOf } from './bodies.ts';
import { joinMessageText } from './original.ts';
import type { Session } from './session.ts';
import { inSlices } from './slices.ts';

/** Matches returned if no limit is given. */
const defaultLimit = 10;

/** Messages read at a time. */
const portion = 64;

/**
 * Returns the original messages that contain words of a query, best first. O(session), in slices.
 */
export async function recallMessages(
	session: Session,
	{ query: text, limit = defaultLimit }: Asked<RecallParams>,
	signal: AbortSignal,
): Promise<RecallResult> {
	const query = parseQuery(text);
	const { state, world } = session;
	const rows = [...state.rows];
	const hits: Hit[] = [];
	let units = 0;
	for (let position = 0; position < rows.length; position += portion) {
		signal.throwIfAborted();
		for (const [index, { message }] of (
			await messagesOf(session, rows.slice(position, position + portion))
		).entries()) {
			const words = joinMessageText(message);
			units += words.length;
			const hit = matchText(position + index, words, query);
			if (hit) hits.push(hit);
		}
		await world.pause();
	}
	const messages = rows.length;
	const averageLength = units / Math.max(1, messages);
	const best = await inSlices(rankHits(hits, { messages, averageLength }, limit), world);
	const found = await messagesOf(
		session,
		best.flatMap(({ seq }) => rows[seq] ?? []),
	);
	const hidden = await hiddenIn(session);
	const matches = best.flatMap(({ seq }, index): RecallMatch[] => {
		const row = rows[seq];
		const message = found[index]?.message;
		if (!row || !message) return [];
		return [
			{
				messageId: row.id,
				role: row.role,
				...present({ toolName: row.tool, at: row.at }),
				excerpt: excerptAround(joinMessageText(message), query),
				visible: !hidden.has(row.id),
				...(hidden.get(row.id) && { hiddenBy: hidden.get(row.id) }),
			},
		];
	});
	return { matches, total: hits.length };
}

/** The hidden messages of a session with the step that hides each. O(rows), in slices. */
async function hiddenIn({ state, world }: Session): Promise<Map<string, string | undefined>> {
	const hidden = new Map<string, string | undefined>();
	const tagged = await inSlices(tagRows(state), world);
	const collect = mapInSlices(
		tagged,
		({ row, isShortened, condenseParent, truncationParent, cutBy, ...one }) => {
			if (one.hidden && !isShortened) hidden.set(row.id, condenseParent ?? truncationParent ?? cutBy);
		},
	);
	await inSlices(collect, world);
	return hidden;
}
