/** The history as it goes to a model: paired up, rendered in the format asked for. */

import type { FormatName, RenderEntry, Rendered } from '../core/format/adapter.ts';
import { formatAdapter } from '../core/format/formats.ts';
import type { IdentifiedMessage } from '../core/history/message.ts';
import { type Entry, type Pairing, pairUp } from '../core/history/pairs.ts';
import { liveSteps, type Row, type State, type Unit } from '../core/history/state.ts';
import { type BodyCache, type Resolved, resolve } from './bodies.ts';
import type { Session } from './session.ts';

export interface RenderedHistory extends Rendered {
	repairs: Pick<Pairing, 'orphanedCallsFixed' | 'orphanedResultsFixed'>;
}

function isCompacted(state: State): boolean {
	return liveSteps(state).some((step) => step.receipt);
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

function entryOf(entry: Entry, resolved: Map<Row, Resolved>, state: State): RenderEntry {
	if (entry.kind === 'result')
		return { message: syntheticResult(entry.unit, entry.call, state), touched: true };
	if (entry.kind === 'call') return { message: syntheticCall(entry.unit, state), touched: true };
	const found = resolved.get(entry.unit.row);
	if (!found) throw new RangeError(`no body for message ${entry.unit.row.id}`);
	if (entry.halfCalls) {
		return { message: withoutCalls(found.message, entry.halfCalls), source: found.source, touched: true };
	}
	if (entry.unit.sheet === 0) return { message: found.message, source: found.source, touched: false };
	return { message: found.message, touched: true };
}

/** A view as it goes to a model. The state is read before the first wait: what is appended later is not in it. */
export async function renderHistory(
	session: Session,
	cache: BodyCache | null,
	format: FormatName,
	reader: { provider: string; model: string } = session.state.info,
): Promise<RenderedHistory> {
	const { state } = session;
	const { provider, model } = reader;
	const { entries, orphanedCallsFixed, orphanedResultsFixed } = pairUp(state.view);
	const rows = entries.flatMap((entry) => (entry.kind === 'message' ? [entry.unit.row] : []));
	const found = await resolve(session, cache, rows);
	const resolved = new Map(rows.map((row, index) => [row, found[index] as Resolved]));
	const rendered = formatAdapter(format).render(
		entries.map((entry) => entryOf(entry, resolved, state)),
		{ provider, model },
	);
	return { ...rendered, repairs: { orphanedCallsFixed, orphanedResultsFixed } };
}
