import type { CheckedView, FalseStatement } from './checkedView.ts';

/** Matches names of members that identify their own record. Other members may name another record. */
const ownIdMember = /^_?(?:id|uuid|key)$/i;
/** Matches names of members that identify a record. */
const idMember = /(?:^|_)(?:id|code|number|no|key|ref|reference|uuid|sku|identifier)$|[a-z]Id$/;
/** Minimum length of a value that can be recognized. */
const minValue = 3;
/** Matches words and numbers that occur in any sentence. They alone show no record. */
const plainWord = /^(?:[a-z]+|\d{1,3})$/;
/** Minimum number of members of a record that counts as a row. */
const minMembers = 3;
/** Number of lines above a row in which its key may appear. */
const linesAbove = 3;

interface RecordRow {
	id: string;
	/** All values that may identify the record. */
	ids: string[];
	values: string[];
}

/**
 * Finds lines that have two or more values of one record of a JSON result, if neither the line nor the three lines
 * above it contain an id of the record. The values must belong to no other record, and so must an id, unless it is the
 * record's own.
 */
export function rowsWithoutKeys({ calls, lines, userLines }: CheckedView): FalseStatement[] {
	const rows = distinctRows(calls.flatMap(({ result }) => recordsIn(result)));
	const byValue = new Map<string, RecordRow[]>();
	for (const row of rows)
		for (const value of row.values) byValue.set(value, [...(byValue.get(value) ?? []), row]);
	return lines.flatMap(({ text, isOwn }, index): FalseStatement[] => {
		if (!isOwn || userLines.has(text.replace(/^\[#\d{1,9} user\]/, '').trim())) return [];
		const words = new Set(text.match(/[^\s,;"'{}[\]()|=]+/g) ?? []);
		const shown = new Map<RecordRow, string[]>();
		for (const word of words) {
			for (const row of byValue.get(word) ?? []) shown.set(row, [...(shown.get(row) ?? []), word]);
		}
		const above = lines.slice(Math.max(0, index - linesAbove), index + 1).map((one) => one.text);
		const found = [...shown].find(
			([row, values]) =>
				values.length >= 2 &&
				!values.every((value) => plainWord.test(value)) &&
				![row.id, ...row.ids].some((id) => above.some((one) => one.includes(id))),
		);
		return found === undefined
			? []
			: [{ kind: 'row without key', line: text, reason: `values of ${found[0].id}` }];
	});
}

/** Returns the rows, each with the values that no other row has. */
function distinctRows(records: readonly RecordRow[]): RecordRow[] {
	const owners = new Map<string, Set<string>>();
	for (const { id, values } of records) {
		for (const value of values) owners.set(value, (owners.get(value) ?? new Set()).add(id));
	}
	const isOwn = (value: string) => owners.get(value)?.size === 1;
	// Another record of the same thing may have the value as its id.
	const ownersOfId = (value: string) => [...(owners.get(value) ?? [])].filter((id) => id !== value);
	return records.map(({ id, ids, values }) => ({
		id,
		ids: ids.filter((value) => ownersOfId(value).length <= 1),
		values: [...new Set(values)].filter((value) => value !== id && isOwn(value)),
	}));
}

/** Returns the records of a result that is JSON; none for other results. */
function recordsIn(result: string): RecordRow[] {
	const start = result.trimStart()[0];
	if (start !== '{' && start !== '[') return [];
	try {
		return recordsOf(JSON.parse(result));
	} catch (error) {
		if (error instanceof SyntaxError) return [];
		throw error;
	}
}

function recordsOf(value: unknown): RecordRow[] {
	if (value === null || typeof value !== 'object') return [];
	const nested = Object.values(value).flatMap(recordsOf);
	if (Array.isArray(value)) return nested;
	const members = Object.entries(value).filter(
		([, member]) => typeof member === 'string' || typeof member === 'number',
	);
	const [, id] =
		members.find(([name]) => ownIdMember.test(name)) ?? members.find(([name]) => idMember.test(name)) ?? [];
	if (id === undefined || members.length < minMembers) return nested;
	const values = members.map(([, member]) => String(member)).filter((member) => member.length >= minValue);
	const ids = members.filter(([name]) => idMember.test(name)).map(([, member]) => String(member));
	return [{ id: String(id), ids, values }, ...nested];
}
