/** The log of changes in which VS Code keeps an object: a snapshot, then what was set, pushed and deleted. */

import { type Fields, isFields } from '../../shape.ts';
import { firstNumber, listOf } from '../reading/values.ts';

const kinds = { initial: 0, set: 1, push: 2, remove: 3 } as const;

/** Whether a record is an entry of such a log. */
export function isMutation(record: unknown): record is Fields {
	return (
		isFields(record) && typeof record.kind === 'number' && (record.kind === 0 || Array.isArray(record.k))
	);
}

/**
 * The state after an entry, changed in place; the entry stays as it is. One whose path leads nowhere changes nothing.
 */
export function mutated(state: unknown, { kind, k, v, i }: Fields): unknown {
	if (kind === kinds.initial) return structuredClone(v);
	const path = listOf(k);
	const last = path.at(-1);
	const holder = valueAt(state, path.slice(0, -1));
	if (!isKey(last) || !(isFields(holder) || Array.isArray(holder))) return state;
	const held = holder as Record<string | number, unknown>;
	if (kind === kinds.set) held[last] = structuredClone(v);
	else if (kind === kinds.remove) delete held[last];
	else if (kind === kinds.push) {
		const before = listOf(held[last]);
		held[last] = [...before.slice(0, firstNumber(i) ?? before.length), ...listOf(structuredClone(v))];
	}
	return state;
}

function isKey(value: unknown): value is string | number {
	if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 1e6;
	return typeof value === 'string' && !['__proto__', 'constructor', 'prototype'].includes(value);
}

function valueAt(state: unknown, path: readonly unknown[]): unknown {
	return path.reduce<unknown>((value, key) => {
		if (!isKey(key) || typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
			return undefined;
		return (value as Record<string | number, unknown>)[key];
	}, state);
}
