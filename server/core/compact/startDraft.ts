/** Creates the draft of a compaction from the view. */

import type { Unit } from '../history/row.ts';
import { firstUnitFrom, isShownInPlace } from '../history/seen.ts';
import { weighRow } from '../meter/reading.ts';
import { type Draft, type Item, plainWeights } from './draft.ts';
import { createRowColumns, digestOf, kind, kindsOfRow, takeRows, toolOf } from './rowColumns.ts';
import type { PlanInput } from './stage.ts';
import { workLimits } from './tuning.ts';

/** Returns the draft of the unchanged view. */
export async function startDraft(input: PlanInput): Promise<Draft> {
	const { view, rows, units, meter, protection, target, effects, columns = createRowColumns() } = input;
	for (let seq = 0; seq < units.length; seq += workLimits.unitsPerSlice) {
		if (seq > 0) await effects.pause();
		takeRows(columns, units, seq, Math.min(units.length, seq + workLimits.unitsPerSlice));
	}
	const draft: Draft = {
		view,
		rows,
		froms: new Int32Array(view.length),
		kinds: new Uint16Array(view.length),
		batches: new Int32Array(view.length),
		tools: new Int32Array(view.length),
		digests: new Int32Array(view.length),
		before: new Float64Array(view.length),
		now: new Float64Array(view.length),
		held: new Float64Array(view.length),
		hidden: new Uint8Array(view.length),
		several: [],
		protectedItems: [],
		guardedItems: [],
		shown: new Map(),
		tokens: 0,
		protectedTokens: 0,
		columns,
		target,
		meter,
		weights: plainWeights(meter),
		protection,
		touched: 0,
		standIns: {},
	};
	for (let item = 0; item < view.length; item += workLimits.unitsPerSlice) {
		await effects.pause();
		takeItems(draft, item, Math.min(view.length, item + workLimits.unitsPerSlice));
	}
	protect(draft);
	return draft;
}

/** Fills the items [from, to). Most are unchanged rows in sequence, which `columns` already describes. */
function takeItems(draft: Draft, from: Item, to: Item): void {
	const { view, columns, meter, weights, before } = draft;
	const { units } = columns;
	const anchor = meter.anchor?.seq ?? -1;
	let sum = draft.tokens;
	for (let item = from, seq = 0; item < to; item++, seq++) {
		const unit = view[item] as Unit;
		if (units[seq] !== unit) seq = unit.from;
		if (units[seq] === unit) {
			const kinds = columns.kinds[seq] ?? 0;
			draft.froms[item] = seq;
			draft.kinds[item] = kinds;
			draft.batches[item] = columns.batches[seq] ?? -1;
			draft.tools[item] = columns.tools[seq] ?? -1;
			draft.digests[item] = columns.digests[seq] ?? -1;
			const raw = columns.tokens[seq] ?? 0;
			if (kinds & kind.exact) before[item] = raw;
			else if (seq === anchor) before[item] = weighRow(meter, unit.row);
			else before[item] = (seq > anchor ? weights.behind : weights.ahead) * raw;
		} else takeShown(draft, item, unit);
		const tokens = before[item] ?? 0;
		draft.now[item] = tokens;
		sum += tokens;
	}
	draft.tokens = sum;
}

/** Fills an item that a layer changed. */
function takeShown(draft: Draft, item: Item, unit: Unit): void {
	const { row, from } = unit;
	const isInPlace = row === draft.rows[from] || isShownInPlace(unit, draft.rows);
	if (!isInPlace) draft.several.push(item);
	draft.froms[item] = from;
	draft.kinds[item] = kindsOfRow(row) | (isInPlace ? kind.inPlace : 0);
	draft.batches[item] = row.made === 'summary' ? -1 : row.batch;
	draft.tools[item] = toolOf(draft.columns, row);
	draft.digests[item] = digestOf(draft.columns, row);
	draft.before[item] = weighRow(draft.meter, row);
}

/** Marks the protected items, in the order of the view. */
function protect(draft: Draft): void {
	const { view, kinds, protection, froms } = draft;
	for (const seq of [...protection.rows].sort((a, b) => a - b)) {
		for (let item = firstUnitFrom(view, seq); froms[item] === seq; item++) {
			const own = kinds[item] ?? 0;
			if (!(own & kind.inPlace)) continue;
			kinds[item] = own | kind.protected;
			draft.protectedItems.push(item);
			draft.protectedTokens += draft.now[item] ?? 0;
		}
	}
}
