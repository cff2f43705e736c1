import { agents } from '../../transcript/agents.ts';
import type { FileRule, ShellRule, ToolTables } from '../../transcript/reading/tools.ts';

type Rows<Row> = Readonly<Record<string, Row>>;

/** What all agents that are known, and well-known file servers, call their tools: rows of one name are joined. */
export const defaultToolTables: Required<ToolTables> = {
	reads: joined(({ reads }) => reads, lists<FileRule>),
	edits: joined(({ edits }) => edits, lists<FileRule>),
	patches: joined(({ patches }) => patches, lists<string>),
	shells: joined(({ shells }) => shells, shellRules),
};

function joined<Row>(
	of: (tools: ToolTables) => Rows<Row> | undefined,
	both: (one: Row, other: Row) => Row,
): Rows<Row> {
	const all: Record<string, Row> = {};
	for (const { tools = {} } of agents) {
		for (const [name, row] of Object.entries(of(tools) ?? {})) {
			const known = all[name];
			all[name] = known === undefined ? row : both(known, row);
		}
	}
	return all;
}

function lists<Item>(one: readonly Item[], other: readonly Item[]): readonly Item[] {
	return one === other ? one : [...new Set([...one, ...other])];
}

function shellRules(one: ShellRule, other: ShellRule): ShellRule {
	if (one === other) return one;
	const folder = lists(one.folder ?? [], other.folder ?? []);
	return { command: lists(one.command, other.command), ...(folder.length > 0 && { folder }) };
}
