/** What a compaction reads: messages as the ledger wants them, loaded when they are needed and only once. */

import { bestLines } from '../core/compact/ledger/bestLines.ts';
import { addSource, createLedger, type Ledger } from '../core/compact/ledger/ledger.ts';
import { factValues } from '../core/compact/ledger/rank.ts';
import type { Source } from '../core/compact/ledger/source.ts';
import type { BestLines } from '../core/compact/prune.ts';
import type { IdentifiedMessage } from '../core/history/message.ts';
import type { Seq } from '../core/history/record.ts';
import type { Row } from '../core/history/state.ts';
import { textOf } from '../core/history/text.ts';

export interface Material {
	ledger: Ledger;
	/** The sources of rows, in order. */
	sources(rows: readonly Row[]): Promise<Source[]>;
	/** Reads everything that the best lines of results are judged by. */
	weigh(rows: readonly Row[]): Promise<void>;
	bestLines: BestLines;
}

/** Rows are read this many at a time, with a pause between. */
const portion = 512;

export function sourceOf(row: Row, message: IdentifiedMessage): Source {
	return {
		seq: row.seq,
		id: row.id,
		role: message.role,
		text: textOf(message),
		calls: message.toolCalls ?? [],
		...(row.tool !== undefined && { toolName: row.tool }),
		...(row.answers !== undefined && { toolCallId: row.answers }),
		...(row.isError && { isError: true }),
		...(row.injected && { injected: true }),
		...(row.at !== undefined && { at: row.at }),
	};
}

/** Material over one session. `read` gives messages of rows; `countText` raw tokens. */
export function createMaterial(
	read: (rows: readonly Row[]) => Promise<IdentifiedMessage[]>,
	pause: () => Promise<void>,
	countText: (text: string) => number,
): Material {
	const ledger = createLedger();
	const known = new Map<Seq, Source>();
	let values: Float32Array | undefined;

	async function sources(rows: readonly Row[]): Promise<Source[]> {
		const missing = rows.filter((row) => !known.has(row.seq));
		for (let at = 0; at < missing.length; at += portion) {
			const part = missing.slice(at, at + portion);
			for (const [index, message] of (await read(part)).entries()) {
				const row = part[index];
				if (!row) continue;
				const source = sourceOf(row, message);
				known.set(row.seq, source);
				addSource(ledger, source);
			}
			await pause();
		}
		return rows.flatMap((row) => known.get(row.seq) ?? []);
	}

	return {
		ledger,
		sources,
		async weigh(rows) {
			values = factValues(ledger, await sources(rows));
		},
		bestLines(row, message, tokens) {
			if (!values) return '';
			const source = known.get(row.seq) ?? sourceOf(row, message);
			addSource(ledger, source);
			return bestLines(ledger, source, { budgetTokens: tokens, count: countText, values });
		},
	};
}
