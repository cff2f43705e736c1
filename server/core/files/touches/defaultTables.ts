import { agents, type FileRule, type ShellRule, type ToolTables } from '../../transcript/index.ts';

type RowsByTool<Row> = Readonly<Record<string, Row>>;

/** How tools of all known agents and well-known file servers name files. Tools with the same name are merged. */
export const defaultToolTables: Required<ToolTables> = {
	reads: mergeTables(({ reads }) => reads, mergeLists<FileRule>),
	edits: mergeTables(({ edits }) => edits, mergeLists<FileRule>),
	patches: mergeTables(({ patches }) => patches, mergeLists<string>),
	shells: mergeTables(({ shells }) => shells, mergeShellRules),
};

function mergeTables<Row>(
	selectTable: (tools: ToolTables) => RowsByTool<Row> | undefined,
	mergeRows: (one: Row, other: Row) => Row,
): RowsByTool<Row> {
	const mergedRows: Record<string, Row> = {};
	for (const { tools = {} } of agents) {
		for (const [name, row] of Object.entries(selectTable(tools) ?? {})) {
			const earlierRow = mergedRows[name];
			mergedRows[name] = earlierRow === undefined ? row : mergeRows(earlierRow, row);
		}
	}
	return mergedRows;
}

function mergeLists<Item>(one: readonly Item[], other: readonly Item[]): readonly Item[] {
	return one === other ? one : [...new Set([...one, ...other])];
}

function mergeShellRules(one: ShellRule, other: ShellRule): ShellRule {
	if (one === other) return one;
	const folder = mergeLists(one.folder ?? [], other.folder ?? []);
	return { command: mergeLists(one.command, other.command), ...(folder.length > 0 && { folder }) };
}
