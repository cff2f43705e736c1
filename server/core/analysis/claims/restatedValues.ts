/** Finds values in the agent's lists that a later list states again with other values: "- `retries`: 3", then "- `retries`: 5". */

import { getOrInsert } from '../../getOrInsert.ts';
import type { Seq } from '../../history/record.ts';
import { getMessageName, type Source } from '../message/source.ts';

/** A list item with a name in code and its value, which is code or a figure, perhaps in brackets: `magenta (#ff00ff)`. */
const valuePattern =
	/^\s{0,8}(?:[-*•]\s{1,3})?`([^`\n]{2,60})`\s?[:=：→]\s?(`[^`\n]{1,40}`|(?:[a-z]{2,20} \()?[#$€]?[\w.-]{0,20}\d[\w.%]{0,12}\)?)(?=$|[\s(,;])/;
/** Minimum number of names in both lists. A single name may mean different things. */
const minSharedNames = 2;

/** A list of values. */
interface ValueList {
	source: Source;
	values: ReadonlyMap<string, string>;
}

/** The lists of values in the agent's messages. */
export class RestatedValues {
	private readonly bySeq = new Map<Seq, ValueList>();
	/** The lists with each name, oldest first. */
	private readonly byName = new Map<string, ValueList[]>();

	/** Reads the lists of all messages. O(text). */
	constructor(sources: readonly Source[]) {
		for (const source of sources) {
			if (source.role !== 'assistant') continue;
			const list = { source, values: readCachedValues(source) };
			if (list.values.size < minSharedNames) continue;
			this.bySeq.set(source.seq, list);
			for (const name of list.values.keys()) getOrInsert(this.byName, name, () => []).push(list);
		}
	}

	/** Returns a line of a message, with the value that a later list states instead: ` (later, in #20: 5)`. */
	mark(line: string, seq: Seq): string {
		const [, name = '', value] = valuePattern.exec(line) ?? [];
		const own = value === undefined ? undefined : this.bySeq.get(seq);
		const lists = own === undefined ? [] : (this.byName.get(name) ?? []);
		const later = lists.findLast(
			(list) => own !== undefined && list.source.seq > seq && shareNames(own, list),
		);
		const newest = later?.values.get(name);
		if (later === undefined || newest === value) return line;
		return `${line} (later, in ${getMessageName(later.source)}: ${newest})`;
	}
}

/** The values in messages that were read before. */
const valuesBySource = new WeakMap<Source, ReadonlyMap<string, string>>();

function readCachedValues(source: Source): ReadonlyMap<string, string> {
	let values = valuesBySource.get(source);
	if (!values) {
		values = source.text.includes('`') ? readValues(source.text) : new Map();
		valuesBySource.set(source, values);
	}
	return values;
}

function readValues(text: string): Map<string, string> {
	const values = text.split('\n').map((line) => valuePattern.exec(line));
	return new Map(values.flatMap((found) => (found ? [[found[1] ?? '', found[2] ?? ''] as const] : [])));
}

function shareNames({ values }: ValueList, { values: others }: ValueList): boolean {
	return [...values.keys()].filter((name) => others.has(name)).length >= minSharedNames;
}
