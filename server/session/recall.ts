/** `context/recall`: searches the whole session for words, including hidden messages. */

import type { Row } from '../core/history/row.ts';
import { type TaggedRow, tagRows } from '../core/history/tags.ts';
import { joinMessageText } from '../core/history/text.ts';
import { findExcerpt, matchText, parseSearchQuery, rankHits, type SearchHit } from '../core/recall/rank.ts';
import { pickDefined } from '../core/shape.ts';
import { mapInSlices } from '../core/slices.ts';
import type { OwnParams } from '../protocol/declaration.ts';
import type { RecallMatch, RecallParams, RecallResult } from '../protocol/history.ts';
import { readRowMessages } from './bodies.ts';
import { runInSlices } from './services.ts';
import type { Session } from './session.ts';

/** Matches returned if no limit is given. */
const defaultMatchCount = 10;

/** Messages read at a time. */
const messagesPerRead = 64;

/** Returns the original messages that contain words of a query, best first. O(session), in slices. */
export async function recallSessionMessages(
	session: Session,
	{ query: text, limit = defaultMatchCount }: OwnParams<RecallParams>,
	signal: AbortSignal,
): Promise<RecallResult> {
	const query = parseSearchQuery(text);
	const { state, services } = session;
	const rows = [...state.rows];
	const hits: SearchHit[] = [];
	let units = 0;
	for (let position = 0; position < rows.length; position += messagesPerRead) {
		signal.throwIfAborted();
		for (const [index, { message }] of (
			await readRowMessages(session, rows.slice(position, position + messagesPerRead))
		).entries()) {
			const words = joinMessageText(message);
			units += words.length;
			const hit = matchText(position + index, words, query);
			if (hit) hits.push(hit);
		}
		await services.pause();
	}
	const messages = rows.length;
	const averageLength = units / Math.max(1, messages);
	const bestHits = await runInSlices(rankHits(hits, { messages, averageLength }, limit), services);
	const resolved = await readRowMessages(
		session,
		bestHits.flatMap(({ seq }) => rows[seq] ?? []),
	);
	const tags = await tagHiddenRows(session);
	const matches = bestHits.flatMap(({ seq }, index): RecallMatch[] => {
		const row = rows[seq];
		const message = resolved[index]?.message;
		if (!row || !message) return [];
		return [
			{
				messageId: row.id,
				role: row.role,
				...pickDefined({ toolName: row.tool, path: findTouchedPath(row, rows[row.batch]), at: row.at }),
				excerpt: findExcerpt(joinMessageText(message), query),
				...describeVisibility(tags.get(row)),
			},
		];
	});
	return { matches, total: hits.length, searched: messages };
}

/** Returns the tags of hidden and shortened rows. O(rows), in slices. */
async function tagHiddenRows({ state, services }: Session): Promise<Map<Row, TaggedRow>> {
	const hidden = new Map<Row, TaggedRow>();
	const tagged = await runInSlices(tagRows(state), services);
	const collect = mapInSlices(tagged, (one) => {
		if (one.isHidden) hidden.set(one.row, one);
	});
	await runInSlices(collect, services);
	return hidden;
}

function describeVisibility(
	tags: TaggedRow | undefined,
): Pick<RecallMatch, 'visible' | 'shortened' | 'hiddenBy' | 'hiddenCause'> {
	if (!tags) return { visible: true };
	if (tags.isShortened) return { visible: true, shortened: true };
	const hiddenBy = tags.condenseParent ?? tags.truncationParent ?? tags.cutBy;
	const hiddenCause = tags.cutBy === undefined ? 'compaction' : 'rewind';
	return { visible: false, ...(hiddenBy && { hiddenBy, hiddenCause }) };
}

/** Returns the only file that the call of a tool result touched; `caller` is the message with the call. */
function findTouchedPath({ answers }: Row, caller: Row | undefined): string | undefined {
	if (answers === undefined) return undefined;
	const touches = caller?.touches?.filter(({ callId }) => callId === answers) ?? [];
	const paths = new Set(touches.map(({ path }) => path));
	return paths.size === 1 ? touches[0]?.path : undefined;
}
