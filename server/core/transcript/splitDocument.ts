/** Splits large JSON documents into entries: the document with empty lists, and one entry per element of a list. */

import { getOrInsert } from '../getOrInsert.ts';
import { type Fields, isFields } from '../shape.ts';
import { asFields } from '../values.ts';

/** The member that marks an entry as a document whose lists are in other entries. */
const frameMember = 'contextd:frame';
/** The member that marks an entry as an element of a list that does not contain messages. */
const elementMember = 'contextd:element';

/** Minimum elements of a list that is split. */
const minElements = 2;

interface Frame {
	/** Name of the member that contains the list; null if the document itself is the list. */
	list: string | null;
	/** The document, with empty lists. */
	document: unknown;
}

interface OtherElement {
	/** Name of the member that contains the list. */
	list: string;
	element: object;
}

/** Members of a document that contain its messages. */
const messageListMembers = ['messages', 'requests'];
/** Members with the messages as shown to the user, which contain the usage. */
const otherListMembers = ['uiMessages'];

/** Returns the texts of a record's entries: one, or a frame and one per message of a document. */
export function splitDocument(record: unknown): string[] {
	if (isSplittable(record)) return [serializeFrame(null, []), ...serializeElements(record)];
	const name = isFields(record) ? messageListMembers.find((one) => isSplittable(record[one])) : undefined;
	if (!isFields(record) || name === undefined) return [JSON.stringify(record)];
	const splittableMembers = otherListMembers.filter((one) => isSplittable(record[one]));
	const document = { ...record, ...Object.fromEntries([name, ...splittableMembers].map((one) => [one, []])) };
	return [
		serializeFrame(name, document),
		...serializeElements(record[name] as object[]),
		...splittableMembers.flatMap((list) =>
			(record[list] as object[]).map((element) =>
				JSON.stringify({ [elementMember]: { list, element } satisfies OtherElement }),
			),
		),
	];
}

function isSplittable(list: unknown): list is object[] {
	return Array.isArray(list) && list.length >= minElements && list.every(isFields);
}

/** Joins the split documents of a recording again, from the values of its entries in order. */
export class DocumentJoiner {
	#frame: Frame | undefined;
	#hasChanged = false;
	readonly #elements: unknown[] = [];
	/** Elements of other lists, by the name of the list. */
	readonly #otherLists = new Map<string, unknown[]>();

	/** Returns the entry if it is a record by itself; nothing if it is a part of a document. */
	push(value: unknown): unknown[] {
		const { [frameMember]: frame, [elementMember]: otherElement } = asFields(value);
		if (isFields(frame)) this.#frame = frame as unknown as Frame;
		else if (this.#frame === undefined) return [value];
		else if (isFields(otherElement)) {
			const { list, element } = otherElement as unknown as OtherElement;
			getOrInsert(this.#otherLists, list, () => []).push(element);
		} else this.#elements.push(value);
		this.#hasChanged = true;
		return [];
	}

	/**
	 * Returns the document if it has changed since the last call, otherwise nothing. The document has its newest frame
	 * and every element that it ever had, each in its longest version. Linear.
	 */
	takeDocument(): unknown[] {
		if (this.#frame === undefined || !this.#hasChanged) return [];
		this.#hasChanged = false;
		const elements = keepLongestVersions(this.#elements, findMessageKey);
		const { list, document } = this.#frame;
		if (list === null) return [elements];
		// Messages shown to the user are identified by their time.
		const otherLists = Array.from(this.#otherLists, ([name, all]) => [
			name,
			keepLongestVersions(all, ({ ts }) => ts),
		]);
		return [{ ...(document as object), [list]: elements, ...Object.fromEntries(otherLists) }];
	}
}

/** Returns an id that all versions of a message share; undefined if there is none. */
function findMessageKey({ id, messageId, requestId }: Fields): unknown {
	return id ?? messageId ?? requestId;
}

function keepLongestVersions(elements: readonly unknown[], getKey: (element: Fields) => unknown): unknown[] {
	const versions = new Map<unknown, { element: unknown; length: number }>();
	for (const element of elements) {
		const key = (isFields(element) ? getKey(element) : undefined) ?? element;
		const length = JSON.stringify(element).length;
		const version = versions.get(key);
		// An id keeps the position at which it came first.
		if (version === undefined) versions.set(key, { element, length });
		else if (length >= version.length) Object.assign(version, { element, length });
	}
	return Array.from(versions.values(), ({ element }) => element);
}

function serializeFrame(list: string | null, document: unknown): string {
	return JSON.stringify({ [frameMember]: { list, document } satisfies Frame });
}

function serializeElements(list: readonly unknown[]): string[] {
	return list.map((element) => JSON.stringify(element));
}
