/** Recognizes a server's reports of errors in JSON. */

import type { Fields } from '../shape.ts';

/** Whether an object reports an error of a server, by the status code of HTTP. The code is no id. */
export function isErrorReport({ code, status, statusCode, message, error }: Fields): boolean {
	const number = Number(code ?? statusCode ?? status);
	return number >= 400 && number < 600 && typeof (message ?? error) === 'string';
}
