import { piSessionReader } from '../pi/agent.ts';
import type { Agent } from '../reading/agent.ts';
import type { DatabaseHome, Place } from '../reading/home.ts';
import { jsonFields } from '../reading/settings.ts';
import { fieldsOf } from '../reading/values.ts';
import { openClawLimit, openClawSettings } from './limit.ts';

/** The newest prompt's first text, in either form of a content. */
const promptText = `coalesce(json_extract(event_json, '$.message.content[0].text'),
	json_extract(event_json, '$.message.content'))`;

/** The databases of OpenClaw: one for each of its agents, whose events stand as text or compressed. */
function openClawDatabase(root: Place): DatabaseHome {
	return {
		root,
		path: [/./, 'agent', 'openclaw-agent.sqlite'],
		table: 'transcript_events',
		sessions: `select e.session_id as id, max(e.created_at) as updated,
				sum(coalesce(length(e.event_json), e.event_utf8_bytes)) as size,
				(select json_extract(event_json, '$.cwd') from transcript_events
					where session_id = e.session_id and json_extract(event_json, '$.type') = 'session'
					order by seq limit 1) as folder,
				(select ${promptText} from transcript_events
					where session_id = e.session_id and json_extract(event_json, '$.message.role') = 'user'
					order by seq limit 1) as title
			from transcript_events e group by e.session_id order by updated desc`,
		records: [
			{
				sql: 'select event_json, event_zstd from transcript_events where session_id = ? order by seq',
				record({ event_json, event_zstd }) {
					const text = event_json ?? event_zstd;
					const fields = typeof text === 'string' ? jsonFields(text) : {};
					return Object.keys(fields).length > 0 ? fields : undefined;
				},
			},
		],
	};
}

/** The folder that holds one for each of its agents. */
const agentFolders: Place = [
	{ variable: 'OPENCLAW_STATE_DIR', below: ['agents'] },
	{ below: ['.openclaw', 'agents'] },
];

/** OpenClaw, built on pi: its records are read as pi's; they stand in a database for each of its agents. */
export const openClaw: Agent = {
	name: 'openclaw',
	label: 'OpenClaw',
	detect: ({ records }) =>
		records.some((record) => String(fieldsOf(record).customType).startsWith('openclaw.')),
	start: piSessionReader,
	limit: openClawLimit,
	settings: openClawSettings,
	homes: [
		// So earlier versions kept them.
		{ root: agentFolders, path: [/./, 'sessions', /\.jsonl$/] },
	],
	databases: [openClawDatabase(agentFolders)],
};
