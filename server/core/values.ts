/** Reads values of unknown type without failing. */

import { type Fields, isFields } from './shape.ts';

/** Returns the value if it is an object, otherwise an empty object. */
export function asFields(value: unknown): Fields {
	return isFields(value) ? value : {};
}

/** Returns the value if it is a list, otherwise an empty list. */
export function asList(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

/** Returns the first value that is a nonempty string. */
export function firstText(...values: readonly unknown[]): string | undefined {
	return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** Returns the first value that is a finite number. */
export function firstNumber(...values: readonly unknown[]): number | undefined {
	return values.find((value): value is number => typeof value === 'number' && Number.isFinite(value));
}

/** Returns the first value that is a time (ISO string, milliseconds or seconds), in milliseconds since the epoch. */
export function parseTime(...values: readonly unknown[]): number | undefined {
	for (const value of values) {
		if (typeof value === 'number' && Number.isFinite(value) && value > 0) {
			// Seconds reach this size only in the year 5138.
			return value < 1e11 ? value * 1000 : value;
		}
		if (typeof value !== 'string') continue;
		const time = Date.parse(value);
		if (!Number.isNaN(time)) return time;
	}
	return undefined;
}

/** Returns a value as text: a string unchanged, anything else as JSON. */
export function asText(value: unknown): string {
	if (typeof value === 'string') return value;
	return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}

/** Returns a record's type, under which it is counted if it is skipped. */
export function readRecordType(record: unknown): string {
	const { type, subtype } = asFields(record);
	if (typeof type !== 'string') return 'unknown';
	return typeof subtype === 'string' ? `${type}/${subtype}` : type;
}
