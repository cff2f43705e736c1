/** Renders JSON results as rows: one for each object with an id, at any depth. Each line of a row names the id. */

import { tuning } from '../../compact/tuning.ts';
import { type Fields, isFields, isNestedDeeper, tryParseJson } from '../../shape.ts';
import { splitSentences } from '../text/sentences.ts';
import { findWrappedText } from '../text/wrappedText.ts';
import { listStatusNames } from './errorReports.ts';
import { isForPrograms } from './programMembers.ts';
import type { DataRow, MemberLine, RenderedMember } from './source.ts';

/** Limits of JSON that is rendered as rows: shorter text is readable, longer or deeper text is data. UTF-16 units. */
export const rowLimits = { minLength: 80, maxLength: 200_000, maxDepth: 64 } as const;
/** Longer links are treated as plain text. UTF-16 units. */
const maxLinkLength = 1000;
/** Longer texts are not ids. UTF-16 units. */
const maxIdLength = 64;

/** A text that needs no quotes next to other values. */
const unquotedTextPattern = /^[\p{L}\p{N}_](?:[^,;:{}()[\]"\n]|:(?=\S)){0,120}$/u;
/** The lines that a shell tool prints before the output of a command. */
const shellHeaderPattern = /^(?:[A-Z][\w ]{2,24}:? [^\n]{0,40}\n){1,6}Output:[^\S\n]*\n\s*(?=[[{])/;

/** The lines that a shell tool prints after the output of a command: `<shellId: 0 completed with exit code 0>`. */
const shellFooterPattern =
	/(?:\n[ \t]{0,9}(?:<[\w-]{1,20}[: ][^\n]{0,200}>|\[[A-Z][^\n]{0,200}\])[ \t]{0,9}){1,5}\n?$/;

/** Names of members that certainly identify their object. */
const idNamePattern = /^_?(?:id|uuid|guid|key)$/i;
/** Names of members that probably identify their object, unless `nonIdNamePattern` matches. */
const possibleIdNamePattern =
	/(?:^|[_\- ])(?:id|code|number|nummer|no|nr|key|ref|reference|sku)$|[a-z](?:I[dD]|Number|Code|Key|Nr|nummer)$|(?:番号|番號|编号|編號|コード)$/;
const nonIdNamePattern =
	/^(?:status|error|exit|zip|post(?:al)?|country|currency|language|phone|line|port|version)(?!.*(?:[_\- ]id|I[dD])$)/i;
/** Names of members that identify their object as a last resort. */
const nameMemberPattern = /^(?:name|title|slug|path|file)$/i;

/** Names of members with the object that a list of results is about. */
const wrappingNamePattern = /^(?:node|resource|item|data|record|object|entity|document|_source)$/;
const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type RowWithoutLines = Omit<DataRow, 'lines' | 'memberLines'>;

/** A result in readable form. */
export interface ReadableResult {
	text: string;
	/** The rows that the text shows, if the result was JSON. */
	rows?: DataRow[];
}

/** Renders JSON as lines of rows, as one line if short, or as the text that it wraps. O(length). */
export function renderJson(text: string): ReadableResult {
	const header = shellHeaderPattern.exec(text)?.[0] ?? '';
	const footer = shellFooterPattern.exec(text)?.[0] ?? '';
	const value = parseData(text.slice(header.length, text.length - footer.length));
	if (value === undefined) return { text: joinShortJson(text) };
	const inner = findWrappedText(value, text.length);
	if (inner !== undefined) return { text: header === '' ? inner : text };
	const rows = removeRepeatedRows(
		collectRows(value).map((row) => {
			return { ...row, ...renderRow(row.fields, [row.parent, row.id ?? ''].join(' ').trim()) };
		}),
	);
	return { text: header + rows.flatMap(({ lines }) => lines).join('\n'), rows };
}

/**
 * Returns a short JSON text on one line, so that no member is shown without the others, or the text that it wraps.
 * Other texts stay unchanged.
 */
function joinShortJson(text: string): string {
	const isShort = text.length < rowLimits.minLength && /^\s*[[{]/.test(text);
	const parsed = isShort ? tryParseJson(text) : undefined;
	if (parsed === undefined) return text;
	const output = findWrappedText(parsed.value, text.length);
	if (output !== undefined) return output;
	const lines = text.split('\n').map((line) => line.trim());
	return lines.filter((line) => line !== '').join(' ');
}

/** Parses a JSON text, or a text with one JSON value on each line; undefined if it is neither. */
function parseData(text: string): unknown {
	if (!/^\s*[[{]/.test(text) || text.length < rowLimits.minLength || text.length > rowLimits.maxLength)
		return undefined;
	const value = tryParseJson(text)?.value ?? parseJsonLines(text);
	return isNestedDeeper(value, rowLimits.maxDepth) ? undefined : value;
}

function parseJsonLines(text: string): unknown[] | undefined {
	const lines = text.trim().split('\n');
	if (!lines.every((line) => line.startsWith('{'))) return undefined;
	const values = lines.map((line) => tryParseJson(line));
	return values.every((parsed) => parsed !== undefined) ? values.map(({ value }) => value) : undefined;
}

/** Returns the name of the member that identifies an object. */
function findIdName(fields: Fields): string | undefined {
	const excluded = listStatusNames(fields);
	const names = Object.keys(fields).filter((name) => isId(fields[name]) && !excluded.includes(name));
	return (
		names.find((name) => idNamePattern.test(name)) ??
		names.find((name) => possibleIdNamePattern.test(name) && !nonIdNamePattern.test(name)) ??
		names.find((name) => nameMemberPattern.test(name))
	);
}

/** Whether a value may be an id: an integer, or a word. */
function isId(value: unknown): value is string | number {
	if (typeof value === 'number') return Number.isSafeInteger(value);
	return typeof value === 'string' && value !== '' && value.length <= maxIdLength && !/[\s:]/.test(value);
}

/** Returns the rows in a value: each object with an id, followed by its nested objects with ids. */
export function collectRows(value: unknown, name = '', parent = ''): RowWithoutLines[] {
	if (isEmpty(value)) return [];
	const hasObjects = Array.isArray(value) && value.some((one) => typeof one === 'object');
	if (hasObjects && !value.every((one) => isFields(one) && findIdName(one) === undefined))
		return value.flatMap((one) => collectRows(one, name, parent));
	if (!isFields(value)) return [{ fields: { [name]: value }, parent }];
	const idName = findIdName(value);
	const id = idName === undefined ? '' : String(value[idName]);
	const ownFields: Fields = {};
	const nested: RowWithoutLines[] = [];
	for (const [member, one] of listMembers(value)) {
		const inner = idName === undefined ? [one] : findEntities(one);
		const rows = inner.flatMap((item) => collectRows(item, member, idName === undefined ? parent : id));
		const ids = rows.flatMap((row) => row.id ?? []);
		if (ids.length === 0) ownFields[member] = one;
		else if (idName !== undefined) ownFields[member] = ids;
		if (ids.length > 0) nested.push(...rows);
	}
	if (idName === undefined) return isEmpty(ownFields) ? nested : [{ fields: ownFields, parent }, ...nested];
	delete ownFields[idName];
	return [
		{ id, idName, fields: ownFields, parent: parent === '' ? '' : `${shortenUuid(parent)} ${name}` },
		...nested,
	];
}

/** Returns a UUID's first group: each row below the object with this id repeats it. Other ids stay as they are. */
function shortenUuid(id: string): string {
	return uuidPattern.test(id) ? `${id.slice(0, 8)}…` : id;
}

/** Returns the objects in a list or map if all of them have ids. */
function findEntities(value: unknown): Fields[] {
	if (typeof value !== 'object' || value === null) return [];
	const items = Object.values(value).map(unwrapEntity);
	const isEntity = (one: unknown): one is Fields => isFields(one) && hasId(one);
	return items.length > 0 && items.every(isEntity) ? items : [];
}

/**
 * Returns an object with an id that another object only wraps, with the members of both: `{ cursor, node: { id, … } }`. Other
 * values stay as they are.
 */
function unwrapEntity(value: unknown): unknown {
	if (!isFields(value) || findIdName(value) !== undefined) return value;
	const name = Object.keys(value).find((one) => wrappingNamePattern.test(one));
	const entity = name === undefined ? undefined : value[name];
	if (name === undefined || !isFields(entity) || !hasId(entity)) return value;
	const { [name]: _, ...wrapper } = value;
	return Object.keys(wrapper).some((one) => Object.hasOwn(entity, one)) ? value : { ...wrapper, ...entity };
}

function hasId(fields: Fields): boolean {
	return Object.keys(fields).some((name) => idNamePattern.test(name) && isId(fields[name]));
}

/** Returns the rows without repetitions. Removes an id that different rows share. */
function removeRepeatedRows(rows: readonly DataRow[]): DataRow[] {
	const byId = new Map<string, string>();
	const sharedIds = new Set<string>();
	const distinctRows = rows.filter(({ id, parent, lines }) => {
		if (id === undefined) return true;
		const name = `${parent} ${id}`;
		const text = lines.join('\n');
		const before = byId.get(name);
		if (before === undefined) byId.set(name, text);
		else if (before !== text) sharedIds.add(name);
		return before !== text;
	});
	return distinctRows.map((row) =>
		row.id !== undefined && sharedIds.has(`${row.parent} ${row.id}`)
			? { fields: row.fields, parent: row.parent, lines: row.lines, memberLines: row.memberLines }
			: row,
	);
}

/** Whether a value is null, an empty text, an empty list or an empty object. */
function isEmpty(value: unknown): boolean {
	if (value === null || value === undefined || value === '') return true;
	return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Returns the members of an object that are not empty, without those for programs and links that extend another link. */
function listMembers(value: object): [string, unknown][] {
	const entries = Object.entries(value).filter(
		([name, one]) => !isEmpty(one) && !isForPrograms(value as Fields, name, one),
	);
	const links = new Set(entries.flatMap(([, one]) => (isLink(one) ? [one] : [])));
	return links.size < 2 ? entries : entries.filter(([, one]) => !isLink(one) || !extendsLink(one, links));
}

function isLink(value: unknown): value is string {
	return typeof value === 'string' && value.length <= maxLinkLength && /^https?:\/\/./.test(value);
}

/** Whether a link extends another link. Looks up its prefixes, because there may be thousands of links. */
function extendsLink(link: string, links: ReadonlySet<string>): boolean {
	for (const { index } of link.matchAll(/[/{]/g)) if (links.has(link.slice(0, index))) return true;
	return false;
}

/** Renders a value on one line: `economy`, `[a, b]`, `{economy 16, business 3}`. */
function renderInline(value: unknown): string {
	if (typeof value === 'string') return unquotedTextPattern.test(value) ? value : JSON.stringify(value);
	if (typeof value !== 'object' || value === null) return String(value);
	if (Array.isArray(value)) return `[${value.map(renderInline).join(', ')}]`;
	return `{${renderMembers(value).text}}`;
}

/** Renders a member. A list of uniform objects becomes a table: `legs (from to): OSL VIE; VIE GRZ`. */
function renderMember(name: string, value: unknown): RenderedMember {
	const table = findTable(value);
	if (table !== undefined) {
		const names = `${name} (${table.names.join(' ')})`.trim();
		const values = table.items.join('; ');
		const isSingle = table.items.length === 1;
		return {
			text: isSingle ? `${name} ${renderInline(value)}`.trim() : `${names}: ${values}`,
			names,
			values,
		};
	}
	if (!isFields(value)) {
		const values = renderInline(value);
		return { text: `${name} ${values}`.trim(), names: name, values };
	}
	const { text, names, values } = renderMembers(omitKey(value, name));
	return { text: `${name} {${text}}`.trim(), names: `${name} {${names}}`, values: `{${values}}` };
}

/** Returns the members of an object without the id that is also its key in a map: `{ 'A-17': { id: 'A-17', … } }`. */
function omitKey(fields: Fields, key: string): Fields {
	const idName = findIdName(fields);
	if (idName === undefined || String(fields[idName]) !== key) return fields;
	const { [idName]: _, ...others } = fields;
	return others;
}

function renderMembers(value: object): RenderedMember {
	return joinMembers(listMembers(value).map(([name, one]) => renderMember(name, one)));
}

function joinMembers(members: readonly RenderedMember[]): RenderedMember {
	const join = (key: keyof RenderedMember): string => members.map((member) => member[key]).join(', ');
	return { text: join('text'), names: join('names'), values: join('values') };
}

/** Returns the columns and rows of a list of objects with the same members and short values; otherwise undefined. */
function findTable(value: unknown): { names: string[]; items: string[] } | undefined {
	if (!Array.isArray(value) || !isFields(value[0])) return undefined;
	const names = Object.keys(value[0]);
	const items: string[] = [];
	for (const one of value) {
		if (!isFields(one) || Object.keys(one).length !== names.length) return undefined;
		const cells = names.map((name) => renderCell(one[name]));
		if (cells.includes(undefined)) return undefined;
		items.push(cells.join(' '));
	}
	return { names, items };
}

function renderCell(value: unknown): string | undefined {
	if (value === undefined || (typeof value === 'object' && value !== null)) return undefined;
	const text = renderInline(value);
	return text.includes(' ') && !text.startsWith('"') ? JSON.stringify(text) : text;
}

/** Renders a row as lines that each begin with the label `owner`: short members together, then each long member. */
function renderRow(fields: Fields, owner: string): Pick<DataRow, 'lines' | 'memberLines'> {
	const members = listMembers(fields).map(([name, one]) => ({ name, one, ...renderMember(name, one) }));
	const { maxArgument, maxObject } = tuning.lengths;
	const isWhole = members.reduce((sum, { text }) => sum + text.length + 2, owner.length) <= maxObject;
	const short = members.filter(({ text }) => isWhole || text.length <= maxArgument);
	const label = owner === '' ? '' : `${owner}: `;
	const memberLines = groupByLength(short, maxObject - label.length, ', ').map(
		(group): MemberLine => ({ text: `${label}${joinMembers(group).text}`, owner, members: group }),
	);
	const lines: string[] = memberLines.map(({ text }) => text);
	for (const { name, one, text } of members.filter((each) => !short.includes(each)))
		lines.push(...renderLongMember(one, [owner, name].filter(Boolean).join(' '), `${label}${text}`));
	return { lines, memberLines };
}

/** HTML of images and of the layout, and comments that mark a section. */
const layoutPattern =
	/<\/?(?:picture|source|img|details|summary|p|br)\b[^<>]{0,600}>|<!-- {0,3}[A-Z_ ]{3,40}-->|&nbsp;/g;
const emptyLinkPattern = /<a\b[^<>]{0,1000}>\s{0,20}<\/a>/g;

/**
 * Returns the lines of a text with single spaces, without HTML of the layout. Splits long lines outside of fenced code into
 * sentences.
 */
function splitTextLines(text: string): string[] {
	let isFenced = false;
	const words = text.includes('<') ? text.replace(layoutPattern, ' ').replace(emptyLinkPattern, '') : text;
	const lines = words.split('\n').flatMap((line) => {
		if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
		if (isFenced || line.length <= tuning.lengths.maxObject) return [line];
		return splitSentences(line).map((sentence) => sentence.text);
	});
	return lines.map((line) => line.replace(/\s+/g, ' ').trim()).filter((line) => line !== '');
}

/** Renders a long member, with as many items, lines or sentences on each line as fit. */
function renderLongMember(value: unknown, label: string, whole: string): string[] {
	if (typeof value === 'string' && whole.length > tuning.lengths.maxObject) {
		return joinIntoLines(splitTextLines(value), `${label}: `, tuning.lengths.maxObject, ' ');
	}
	if (typeof value !== 'object' || value === null || whole.length <= tuning.lengths.maxLine) return [whole];
	const table = findTable(value);
	if (table) return joinItems(table.items, `${label} (${table.names.join(' ')})`, '; ');
	if (isFields(value)) return [...renderRow(value, label).lines];
	const lines: string[] = [];
	let texts: string[] = [];
	const flush = (): void => {
		const isWhole = texts.length === Object.keys(value).length;
		lines.push(
			...(isWhole
				? joinItems(texts, label, ', ')
				: joinIntoLines(texts, `${label}: `, tuning.lengths.maxObject)),
		);
		texts = [];
	};
	for (const item of Object.values(value)) {
		const text = renderInline(item);
		if (isEmpty(item)) continue;
		if (text.length <= tuning.lengths.maxObject || !isFields(item)) texts.push(text);
		else {
			flush();
			lines.push(...renderRow(item, label).lines);
		}
	}
	flush();
	return lines;
}

/**
 * Joins texts by `mark` into lines of at most `maxLength` UTF-16 units that each start with the label. Only a line with a
 * single text may be longer.
 */
function joinIntoLines(texts: readonly string[], label: string, maxLength: number, mark = ', '): string[] {
	const groups = groupByLength(
		texts.map((text) => ({ text })),
		maxLength - label.length,
		mark,
	);
	return groups.map((group) => `${label}${group.map(({ text }) => text).join(mark)}`);
}

/** Joins the items of a list by `mark` into lines. If it needs several, each tells which items it has: `items 2–3 of 3: …`. */
function joinItems(items: readonly string[], label: string, mark: string): string[] {
	const { maxObject } = tuning.lengths;
	const groups = groupByLength(
		items.map((text) => ({ text })),
		maxObject - `${label}: `.length,
		mark,
	);
	if (groups.length === 1) return [`${label}: ${items.join(mark)}`];
	let end = 0;
	return groups.map((group) => {
		const start = end + 1;
		end += group.length;
		const range = start === end ? start : `${start}–${end}`;
		return `${label} ${range} of ${items.length}: ${group.map(({ text }) => text).join(mark)}`;
	});
}

/** Splits texts into groups of at most `maxLength` UTF-16 units, joined by `mark`. Only a group of one text may be longer. */
function groupByLength<T extends { text: string }>(
	texts: readonly T[],
	maxLength: number,
	mark: string,
): T[][] {
	const groups: T[][] = [];
	let length = 0;
	for (const one of texts) {
		const group = groups.at(-1);
		length += one.text.length + mark.length;
		if (group !== undefined && length <= maxLength + mark.length) group.push(one);
		else {
			groups.push([one]);
			length = one.text.length + mark.length;
		}
	}
	return groups;
}
