/** Looking tools up: names are compared without case, `_`, `-` and whatever server prefix stands before them. */

/** The tool's name as the tables spell it: without a server's prefix (`server__tool`, `server.tool`), case, `_` and `-`. */
function tableName(name: string): string {
	const parts = name.split(/__|[.:/]/);
	const last = parts.findLast((part) => part !== '') ?? name;
	return last.toLowerCase().replaceAll(/[_\- ]/g, '');
}

/** The row of a tool; a name like `server-tool` is also looked up without its server. */
export function toolRow<Row>(rows: Readonly<Record<string, Row>>, name: string): Row | undefined {
	const own = tableName(name);
	if (Object.hasOwn(rows, own)) return rows[own];
	const dash = name.indexOf('-');
	const rest = dash < 0 ? '' : tableName(name.slice(dash + 1));
	return Object.hasOwn(rows, rest) ? rows[rest] : undefined;
}
