import { type Fields, isFields } from '../../shape.ts';

/** The value as fields; no fields where it is none. */
export function fieldsOf(value: unknown): Fields {
	return isFields(value) ? value : {};
}

/** The value as a list; an empty one where it is none. */
export function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

/** The first of the values that is a text and not empty. */
export function firstText(...values: readonly unknown[]): string | undefined {
	return values.find((value): value is string => typeof value === 'string' && value !== '');
}

/** The first of the values that is a finite number. */
export function firstNumber(...values: readonly unknown[]): number | undefined {
	return values.find((value): value is number => typeof value === 'number' && Number.isFinite(value));
}

/** A time in ms since the epoch, from an ISO text, a number of ms, or a number of seconds. */
export function timeOf(...values: readonly unknown[]): number | undefined {
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

/** A value as text: a text as it is, anything else as JSON. */
export function asText(value: unknown): string {
	if (typeof value === 'string') return value;
	return value === undefined || value === null ? '' : (JSON.stringify(value) ?? '');
}

/** The record's type as it is counted when the record is left out. */
export function typeName(record: unknown): string {
	const { type, subtype } = fieldsOf(record);
	if (typeof type !== 'string') return 'unknown';
	return typeof subtype === 'string' ? `${type}/${subtype}` : type;
}
