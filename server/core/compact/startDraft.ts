/** Creates the draft of a compaction from the view. */

import type { Unit } from '../history/row.ts';
import { firstUnitFrom, isShownInPlace } from '../history/unitLookup.ts';
import { weighRow } from '../meter/reading.ts';
import { type Draft, type Item, positionWeights } from './draft.ts';
import { addRows, createRowColumns, digestOf, kindsOfRow, rowKind, toolOf } from './rowColumns.ts';
import type { PlanInput } from './stage.ts';
import { workLimits } from './tuning.ts';

/** Returns the draft of the unchanged view. */
export async function startDraft(input: PlanInput): Promise<Draft> {
	const { view, rows, units, meter, protection, target, effects, columns = createRowColumns() } = input;
	for (let seq = 0; seq < units.length; seq += workLimits.unitsPerSlice) {
		if (seq > 0) await effects.pause();
		addRows(columns, units, seq, Math.min(units.length, seq + workLimits.unitsPerSlice));
	}
	const draft: Draft = {
		view,
		rows,
		froms: new Int32Array(view.length),
		kinds: new Uint16Array(view.length),
		batches: new Int32Array(view.length),
		tools: new Int32Array(view.length),
		digests: new Int32Array(view.length),
		tokensBefore: new Float64Array(view.length),
		tokensNow: new Float64Array(view.length),
		tokensWhenHidden: new Float64Array(view.length),
		hidden: new Uint8Array(view.length),
		multiRowItems: [],
		protectedItems: [],
		guardedItems: [],
		replacements: new Map(),
		tokens: 0,
		protectedTokens: 0,
		columns,
		target,
		meter,
		weights: positionWeights(meter),
		protection,
		changedItems: 0,
		rangeReplacements: {},
	};
	for (let item = 0; item < view.length; item += workLimits.unitsPerSlice) {
		await effects.pause();
		fillItems(draft, item, Math.min(view.length, item + workLimits.unitsPerSlice));
	}
	markProtected(draft);
	return draft;
}

/** Fills the items [from, to). Most are unchanged rows in sequence, which `columns` already describes. */
function fillItems(draft: Draft, from: Item, to: Item): void {
	const { view, columns, meter, weights, tokensBefore } = draft;
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
			if (kinds & rowKind.exact) tokensBefore[item] = raw;
			else if (seq === anchor) tokensBefore[item] = weighRow(meter, unit.row);
			else tokensBefore[item] = (seq > anchor ? weights.afterAnchor : weights.beforeAnchor) * raw;
		} else fillChangedItem(draft, item, unit);
		const tokens = tokensBefore[item] ?? 0;
		draft.tokensNow[item] = tokens;
		sum += tokens;
	}
	draft.tokens = sum;
}

/** Fills an item that a layer changed. */
function fillChangedItem(draft: Draft, item: Item, unit: Unit): void {
	const { row, from } = unit;
	const isInPlace = row === draft.rows[from] || isShownInPlace(unit, draft.rows);
	if (!isInPlace) draft.multiRowItems.push(item);
	draft.froms[item] = from;
	draft.kinds[item] = kindsOfRow(row) | (isInPlace ? rowKind.inPlace : 0);
	draft.batches[item] = row.made === 'summary' ? -1 : row.batch;
	draft.tools[item] = toolOf(draft.columns, row);
	draft.digests[item] = digestOf(draft.columns, row);
	draft.tokensBefore[item] = weighRow(draft.meter, row);
}

/** Marks the protected items, in the order of the view. */
function markProtected(draft: Draft): void {
	const { view, kinds, protection, froms } = draft;
	for (const seq of [...protection.rows].sort((a, b) => a - b)) {
		for (let item = firstUnitFrom(view, seq); froms[item] === seq; item++) {
			const own = kinds[item] ?? 0;
			if (!(own & rowKind.inPlace)) continue;
			kinds[item] = own | rowKind.protected;
			draft.protectedItems.push(item);
			draft.protectedTokens += draft.tokensNow[item] ?? 0;
		}
	}
}
