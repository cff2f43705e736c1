/** Large JSON documents as entries: the document with an empty list, and each element of that list. */

import { isFields, parsedJson } from '../../core/shape.ts';

/** The member by which an entry is recognized as a document whose list is in other entries. */
const frameName = 'contextd:frame';

/** Minimum elements of a list that is split. */
const minElements = 2;

interface Frame {
	[frameName]: {
		/** The member that has the list; null if the document itself is the list. */
		list: string | null;
		/** The document, with an empty list. */
		document: unknown;
	};
}

/** The texts of a record's entries: one, or a frame and one per element of its largest list of objects. */
export function splitDocument(record: unknown): string[] {
	if (Array.isArray(record) && record.length >= minElements) return [frameText(null, []), ...textsOf(record)];
	if (!isFields(record)) return [JSON.stringify(record)];
	const [name, list] = largestList(record);
	if (name === undefined || list.length < minElements) return [JSON.stringify(record)];
	return [frameText(name, { ...record, [name]: [] }), ...textsOf(list)];
}

/**
 * The records of a recording, as its agent's reader takes them, from the texts of its entries in order.
 *
 * A document that was split is one record, at the end: its newest frame with all elements that it ever had. Of several
 * versions of an element with the same id, only the longest is in it. Lines that are not JSON are left out.
 */
export function recordsOf(texts: Iterable<string>): unknown[] {
	const records: unknown[] = [];
	let frame: Frame[typeof frameName] | undefined;
	for (const text of texts) {
		const value = parsedJson(text.trim())?.value;
		if (value === undefined) continue;
		if (isFields(value) && isFrame(value)) frame = value[frameName];
		else records.push(value);
	}
	if (frame === undefined) return records;
	const elements = longestVersions(records);
	if (frame.list === null) return [elements];
	return [{ ...(frame.document as object), [frame.list]: elements }];
}

function longestVersions(elements: readonly unknown[]): unknown[] {
	const versions = new Map<unknown, { element: unknown; length: number }>();
	for (const element of elements) {
		const key = isFields(element)
			? (element.id ?? element.messageId ?? element.requestId ?? element)
			: element;
		const length = JSON.stringify(element).length;
		const known = versions.get(key);
		// An id keeps the position at which it came first.
		if (known === undefined) versions.set(key, { element, length });
		else if (length >= known.length) Object.assign(known, { element, length });
	}
	return Array.from(versions.values(), ({ element }) => element);
}

function isFrame(value: object): value is Frame {
	return frameName in value;
}

function frameText(list: string | null, document: unknown): string {
	return JSON.stringify({ [frameName]: { list, document } } satisfies Frame);
}

function textsOf(list: readonly unknown[]): string[] {
	return list.map((element) => JSON.stringify(element));
}

function largestList(record: Readonly<Record<string, unknown>>): [name: string | undefined, list: unknown[]] {
	let largest: [string | undefined, unknown[]] = [undefined, []];
	for (const [name, value] of Object.entries(record)) {
		if (!Array.isArray(value) || !value.every((element) => typeof element === 'object')) continue;
		if (value.length > largest[1].length) largest = [name, value];
	}
	return largest;
}
