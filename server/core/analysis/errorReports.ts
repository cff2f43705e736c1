/** Recognizes a server's reports of errors in JSON. */

import { type Fields, isFields, tryParseJson } from '../shape.ts';
import type { Source } from './source.ts';

/** Longer texts have other data, too. UTF-16 units. */
const maxReportLength = 2000;
/** The title of a page that a server sends instead of an answer: `502 Bad Gateway`. */
const errorPagePattern = /<title>\s*[45]\d\d\b/i;

/** Whether an object reports an error of a server, by the status code of HTTP. The code is no id. */
export function isErrorReport({ code, status, statusCode, message, error }: Fields): boolean {
	const number = Number(code ?? statusCode ?? status);
	return number >= 400 && number < 600 && typeof (message ?? error) === 'string';
}

/** Whether a result is nothing but a server's report of an error. */
export function isOnlyErrorReport({ text, rows = [] }: Source): boolean {
	const [row, ...others] = rows;
	if (row) return others.length === 0 && saysError(row.fields);
	if (text.length > maxReportLength) return false;
	const parsed = text.startsWith('{') ? tryParseJson(text)?.value : undefined;
	return isFields(parsed) ? saysError(parsed) : errorPagePattern.test(text);
}

function saysError(fields: Fields): boolean {
	const { ok, success, status, error, errors, detail, data } = fields;
	if (isErrorReport(fields) || ok === false || success === false) return true;
	if (/^(?:error|fail\w*)$/i.test(String(status))) return true;
	const hasError = typeof error === 'string' ? error !== '' : isFields(error);
	const hasErrors = Array.isArray(errors) && errors.length > 0;
	const isOnlyDetail = typeof detail === 'string' && Object.keys(fields).length === 1;
	return ((hasError || hasErrors) && (data ?? null) === null) || isOnlyDetail;
}
