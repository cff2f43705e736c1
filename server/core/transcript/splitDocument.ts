/** Large JSON documents as entries: the document with an empty list, and each element of that list. */

import { isFields } from '../shape.ts';

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

/** Members that have the messages of a document. */
const listNames = ['messages', 'requests'];

/** Returns the texts of a record's entries: one, or a frame and one per message of a document. */
export function splitDocument(record: unknown): string[] {
	if (isSplit(record)) return [frameText(null, []), ...textsOf(record)];
	const name = isFields(record) ? listNames.find((one) => isSplit(record[one])) : undefined;
	if (!isFields(record) || name === undefined) return [JSON.stringify(record)];
	return [frameText(name, { ...record, [name]: [] }), ...textsOf(record[name] as unknown[])];
}

function isSplit(list: unknown): list is unknown[] {
	return Array.isArray(list) && list.length >= minElements && list.every(isFields);
}

/** Joins the split documents of a recording again, from the values of its entries in order. */
export class DocumentJoiner {
	#frame: Frame[typeof frameName] | undefined;
	#hasChanged = false;
	readonly #elements: unknown[] = [];

	/** Returns an entry that is a record of its own; none if it is a part of a document. */
	push(value: unknown): unknown[] {
		const isOfDocument = isFields(value) && isFrame(value);
		if (isOfDocument) this.#frame = value[frameName];
		else if (this.#frame === undefined) return [value];
		else this.#elements.push(value);
		this.#hasChanged = true;
		return [];
	}

	/**
	 * Returns the document if it has changed since the last call, otherwise nothing: its newest frame with all elements that it
	 * ever had. Of several versions of an element with the same id, it has the longest. Linear.
	 */
	takeDocument(): unknown[] {
		if (this.#frame === undefined || !this.#hasChanged) return [];
		this.#hasChanged = false;
		const elements = keepLongestVersions(this.#elements);
		const { list, document } = this.#frame;
		return [list === null ? elements : { ...(document as object), [list]: elements }];
	}
}

function keepLongestVersions(elements: readonly unknown[]): unknown[] {
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
