/** The history as it goes to a model: paired up, rendered in the format asked for. */

import { formatAdapter } from '../core/format/formats.ts';
import type { RenderEntry, Rendered } from '../core/format/wire/adapter.ts';
import { type PairedEntry, type Pairing, pairUp } from '../core/history/pairs.ts';
import type { Row, Unit } from '../core/history/row.ts';
import type { State } from '../core/history/state.ts';
import { taggedRows } from '../core/history/tags.ts';
import { sheetsInForce } from '../core/history/view.ts';
import type { FormatName, IdentifiedMessage } from '../protocol/conversation.ts';
import { messagesOf, type ResolvedMessage } from './bodies.ts';
import type { Session } from './session.ts';
import { damageWarning } from './standIn.ts';

export interface RenderedHistory extends Rendered {
	repairs: Pick<Pairing, 'orphanedCallsFixed' | 'orphanedResultsFixed'>;
}

function isCompacted(state: State): boolean {
	return sheetsInForce(state).some((sheet) => sheet.lossy);
}

function why(state: State): string {
	return isCompacted(state) ? 'conversation was compacted' : 'it never came';
}

function syntheticResult(unit: Unit, call: number, state: State): IdentifiedMessage {
	const { id = '', name = '' } = unit.row.calls?.[call] ?? {};
	return {
		id: `synthetic-result-${unit.row.id}-${call}`,
		role: 'tool',
		toolCallId: id,
		toolName: name,
		isError: true,
		content: `[Tool result unavailable - ${why(state)}]`,
		metadata: { synthetic: true, truncated: true },
	};
}

function syntheticCall(unit: Unit, state: State): IdentifiedMessage {
	const name = unit.row.tool ?? 'unknown';
	return {
		id: `synthetic-call-${unit.row.id}`,
		role: 'assistant',
		content: `[Tool call for ${name} - ${isCompacted(state) ? 'conversation was compacted' : 'it is not in the conversation'}]`,
		toolCalls: [{ id: unit.row.answers ?? '', name, args: {} }],
		metadata: { synthetic: true, truncated: true },
	};
}

function withoutCalls(message: IdentifiedMessage, left: readonly number[]): IdentifiedMessage {
	const { toolCalls = [], ...rest } = message;
	const kept = toolCalls.filter((_, index) => !left.includes(index));
	return {
		...rest,
		...(kept.length > 0 && { toolCalls: kept }),
		metadata: { ...message.metadata, truncated: true },
	};
}

/** Of every message in its own place, what is gone of the history before it. O(visible). */
function cutsOf(state: State): Map<Row, RenderEntry['cut']> {
	const cuts = new Map<Row, RenderEntry['cut']>();
	let previous: Row | undefined;
	for (const { row } of state.view) {
		if (row.made === 'summary' || row.made === 'marker') continue;
		const before = state.rows[row.seq - 1];
		const isSameAnswer = row.role === 'assistant' && before?.role === 'assistant';
		if (before && previous?.seq !== before.seq) cuts.set(row, isSameAnswer ? 'within its answer' : 'before');
		else if (isSameAnswer && previous && isHalf(cuts.get(previous))) cuts.set(row, 'earlier in its answer');
		previous = row;
	}
	return cuts;
}

function isHalf(cut: RenderEntry['cut']): boolean {
	return cut === 'within its answer' || cut === 'earlier in its answer';
}

/** The row that a shortened message was appended as; nothing for what is no message of a client. */
function originalOf(unit: Unit, state: State): Row | undefined {
	const own = state.rows[unit.from];
	return unit.sheet !== 0 && unit.to - unit.from === 1 && own?.id === unit.row.id ? own : undefined;
}

function entryOf(
	entry: PairedEntry,
	resolved: Map<Row, ResolvedMessage>,
	state: State,
	cuts: ReadonlyMap<Row, RenderEntry['cut']>,
): RenderEntry {
	if (entry.kind === 'result')
		return { message: syntheticResult(entry.unit, entry.call, state), touched: true };
	if (entry.kind === 'call') return { message: syntheticCall(entry.unit, state), touched: true };
	const found = resolved.get(entry.unit.row);
	if (!found) throw new RangeError(`no body for message ${entry.unit.row.id}`);
	const cut = cuts.has(entry.unit.row) ? { cut: cuts.get(entry.unit.row) } : {};
	if (entry.halfCalls) {
		const message = withoutCalls(found.message, entry.halfCalls);
		return { message, touched: true, ...cut, ...(found.source && { source: found.source }) };
	}
	if (!found.source) return { message: found.message, touched: true, ...cut };
	if (entry.unit.sheet === 0) return { message: found.message, source: found.source, touched: false, ...cut };
	const original = originalOf(entry.unit, state);
	const source = original && resolved.get(original)?.source;
	return { message: found.message, touched: true, ...cut, ...(source && { source }) };
}

/** A view as it goes to a model. The state is read before the first wait: what is appended later is not in it. */
export async function renderHistory(
	session: Session,
	format: FormatName = 'contextd',
	reader: { provider: string; model: string } = session.state.info,
): Promise<RenderedHistory> {
	const { state } = session;
	const { provider, model } = reader;
	const { entries, orphanedCallsFixed, orphanedResultsFixed } = pairUp(state.view);
	const rows = entries.flatMap((entry) => {
		if (entry.kind !== 'message') return [];
		// Only a provider's own format has fields that a shortened message must keep.
		const original = format === 'contextd' ? undefined : originalOf(entry.unit, state);
		return original ? [entry.unit.row, original] : [entry.unit.row];
	});
	const cuts = cutsOf(state);
	const found = await messagesOf(session, rows);
	const resolved = new Map(rows.map((row, index) => [row, found[index] as ResolvedMessage]));
	const rendered = formatAdapter(format).render(
		entries.map((entry) => entryOf(entry, resolved, state, cuts)),
		{ provider, model },
	);
	const damaged = entries.flatMap((entry) =>
		entry.kind === 'message' && !resolved.get(entry.unit.row)?.source ? [damageWarning(entry.unit.row)] : [],
	);
	return {
		...rendered,
		warnings: [...rendered.warnings, ...damaged],
		repairs: { orphanedCallsFixed, orphanedResultsFixed },
	};
}

/** Every message of a session, in the neutral format, and what is to be told of them. */
export async function fullHistory(session: Session): Promise<{ messages: unknown[]; warnings: string[] }> {
	const tagged = taggedRows(session.state);
	const found = await messagesOf(
		session,
		tagged.map(({ row }) => row),
	);
	const { messages } = formatAdapter('contextd').render(
		found.map(({ message, source }, index) => {
			const { row, hidden: _, isShortened: __, cutBy, ...tags } = tagged[index] ?? { row: undefined };
			const metadata = cutBy === undefined ? message.metadata : { ...message.metadata, cutBy };
			const shown = { ...message, ...tags, ...(metadata && { metadata }) };
			const isOriginal = row?.made === undefined;
			return isOriginal && cutBy === undefined && source
				? { message: shown, source, touched: false }
				: { message: shown, touched: !isOriginal };
		}),
		{ assignedIds: 'shown' },
	);
	const damaged = tagged.filter((_, index) => found[index]?.source === undefined);
	return { messages, warnings: damaged.map(({ row }) => damageWarning(row)) };
}
