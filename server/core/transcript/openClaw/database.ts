import type { DatabaseHome, Place } from '../reading/home.ts';
import { jsonFields } from '../reading/settings.ts';

/** The newest prompt's first text, in either form of a content. */
const promptText = `coalesce(json_extract(event_json, '$.message.content[0].text'),
	json_extract(event_json, '$.message.content'))`;

/** The databases of OpenClaw: one for each of its agents, whose events stand as text or compressed. */
export function openClawDatabase(root: Place): DatabaseHome {
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
