import { isFields, parsedJson } from '../../shape.ts';
import type { DatabaseHome } from '../reading/home.ts';

/** The databases in which OpenCode keeps its sessions, and those of all projects. */
export const openCodeDatabase: DatabaseHome = {
	root: [{ variable: 'XDG_DATA_HOME', below: ['opencode'] }, { below: ['.local', 'share', 'opencode'] }],
	path: [/^opencode.*\.db$/],
	variable: 'OPENCODE_DB',
	table: 'session',
	sessions: `select s.id, s.title, s.directory as folder, s.time_updated as updated,
			(select coalesce(sum(length(p.data)), 0) from part p where p.session_id = s.id) as size
		from session s order by s.time_updated desc`,
	records: [
		{
			sql: 'select * from session where id = ?',
			record: ({ id, project_id, directory, title }) => ({ id, projectID: project_id, directory, title }),
		},
		{ sql: 'select * from part where session_id = ? order by id', record: rowRecord },
		{ sql: 'select * from message where session_id = ? order by id', record: rowRecord },
	],
};

function rowRecord({ id, session_id, message_id, data }: Readonly<Record<string, unknown>>): unknown {
	const value = typeof data === 'string' ? parsedJson(data)?.value : undefined;
	if (!isFields(value)) return undefined;
	const owner = typeof message_id === 'string' ? { messageID: message_id } : {};
	return { ...value, id, sessionID: session_id, ...owner };
}
