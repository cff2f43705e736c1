const byteOrderMark = 0xfeff;

/** Parses the JSON of a message; a byte order mark before it is skipped. @throws SyntaxError */
export function parseBody(bytes: Buffer): unknown {
	const text = bytes.toString('utf8');
	return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text);
}
