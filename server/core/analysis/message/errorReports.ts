/** Recognizes a server's reports of errors. */

import { type Fields, isFields, tryParseJson } from '../../shape.ts';
import type { Source } from './source.ts';

/** Longer texts have other data, too. UTF-16 units. */
const maxReportLength = 2000;
/** The start of a page that a server sends instead of an answer: `<title>502 Bad Gateway</title>`. */
const errorPagePattern =
	/^\s*<[\s\S]{0,400}<title>\s{0,9}[45]\d\d (?:Bad|Forbidden|Gateway|Internal|Not|Request|Service|Too|Unauthorized)\b/i;

/** Names of members with the status code of HTTP, which is no id. */
const statusNames = ['code', 'status', 'statusCode', 'error_code'] as const;

/** Returns the names of members that are no ids, because the object reports an error of a server. */
export function listStatusNames(fields: Fields): readonly string[] {
	return isErrorReport(fields) ? statusNames : [];
}

/** Whether an object has a status code of HTTP for an error, and a text about it. */
function isErrorReport(fields: Fields): boolean {
	const hasCode = statusNames.some((name) => /^(?:4[0-3]\d|451|50\d|51[01])$/.test(String(fields[name])));
	const { message, error, detail, title } = fields;
	return hasCode && [message, error, detail, title].some((text) => typeof text === 'string');
}

/** Whether a result is nothing but a server's report of an error, in JSON or as a page. */
export function isOnlyErrorReport({ text, rows = [] }: Source): boolean {
	const [row, ...others] = rows;
	if (row) return others.length === 0 && reportsError(row.fields);
	if (text.length > maxReportLength) return false;
	const parsed = text.startsWith('{') ? tryParseJson(text)?.value : undefined;
	return isFields(parsed) ? reportsError(parsed) : errorPagePattern.test(text);
}

function reportsError(fields: Fields): boolean {
	const { ok, success, error, errors, detail, data } = fields;
	if (isErrorReport(fields) || ok === false || success === false) return true;
	const hasError = typeof error === 'string' ? error !== '' : isFields(error);
	const hasErrors = Array.isArray(errors) && errors.length > 0;
	const isOnlyDetail = typeof detail === 'string' && Object.keys(fields).length === 1;
	return ((hasError || hasErrors) && (data ?? null) === null) || isOnlyDetail;
}
