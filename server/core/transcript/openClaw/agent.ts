import { asFields, firstNumber } from '../../values.ts';
import { findUserModelWindow, PiSessionReader, pickModelWindows } from '../pi/agent.ts';
import type { Agent } from '../reading/agent.ts';
import { assumeWindow, createLimit, createWindowLimit, type LimitRule } from '../reading/limit.ts';
import { createLocation, type DatabaseHome } from '../reading/locations.ts';
import { parseJsonFields, pickFields, type SettingsSource } from '../reading/settings.ts';

/** Tokens of the window that pi keeps free, and the minimum that OpenClaw keeps free. */
const defaultLimits = { reserve: 16_384, floor: 20_000 };

/**
 * The limit of an OpenClaw session: the window minus `reserveTokens` of `agents.defaults.compaction`, or
 * minus `reserveTokensFloor` if that is larger. OpenClaw's settings may state the window of the model.
 */
const openClawLimit: LimitRule = (evidence) => {
	const assumedWindow = assumeWindow(evidence, findUserModelWindow(evidence));
	const { enabled, reserveTokens, reserveTokensFloor } = asFields(evidence.settings?.compaction);
	if (enabled === false) return createWindowLimit(assumedWindow);
	const reserve = Math.max(
		firstNumber(reserveTokens) ?? defaultLimits.reserve,
		firstNumber(reserveTokensFloor) ?? defaultLimits.floor,
	);
	return createLimit(assumedWindow, assumedWindow.window - Math.min(reserve, assumedWindow.window / 2));
};

/** Settings of OpenClaw: the reserve, and the windows of models that the user added. */
const openClawSettings: SettingsSource = {
	files: [
		[
			{ variable: 'OPENCLAW_CONFIG_PATH', below: [] },
			...createLocation('OPENCLAW_STATE_DIR', ['.openclaw'], 'openclaw.json'),
		],
	],
	read([text = '']) {
		const { agents, models } = parseJsonFields(text);
		const { compaction } = asFields(asFields(agents).defaults);
		return {
			settings: {
				compaction: pickFields(asFields(compaction), ['enabled', 'reserveTokens', 'reserveTokensFloor']),
				providers: pickModelWindows(asFields(asFields(models).providers)),
			},
		};
	},
};

/** SQL for the first text of a prompt, whose content is a list of blocks or a text. */
const promptTextSql = `coalesce(json_extract(event_json, '$.message.content[0].text'),
	json_extract(event_json, '$.message.content'))`;

/** The folder with a subfolder per agent. */
const agentFolders = createLocation('OPENCLAW_STATE_DIR', ['.openclaw'], 'agents');

/** Databases of OpenClaw: one per agent, with events as text or compressed. */
const openClawDatabase: DatabaseHome = {
	root: agentFolders,
	path: [/./, 'agent', 'openclaw-agent.sqlite'],
	table: 'transcript_events',
	sessionsSql: `select e.session_id as id, max(e.created_at) as updated,
			sum(coalesce(length(e.event_json), e.event_utf8_bytes)) as size,
			(select json_extract(event_json, '$.cwd') from transcript_events
				where session_id = e.session_id and json_extract(event_json, '$.type') = 'session'
				order by seq limit 1) as folder,
			(select ${promptTextSql} from transcript_events
				where session_id = e.session_id and json_extract(event_json, '$.message.role') = 'user'
				order by seq limit 1) as title
		from transcript_events e group by e.session_id order by updated desc`,
	records: [
		{
			sql: 'select event_json, event_zstd from transcript_events where session_id = ? order by seq',
			createRecord({ event_json, event_zstd }) {
				const text = event_json ?? event_zstd;
				const fields = typeof text === 'string' ? parseJsonFields(text) : {};
				return Object.keys(fields).length > 0 ? fields : undefined;
			},
		},
	],
};

/** OpenClaw, which is built on pi: its records are read like pi's, from a database per agent. */
export const openClaw: Agent = {
	name: 'openclaw',
	label: 'OpenClaw',
	recognizes: (record) => String(asFields(record).customType).startsWith('openclaw.'),
	createReader: () => new PiSessionReader(),
	limit: openClawLimit,
	settings: openClawSettings,
	// Location in earlier versions.
	homes: [{ root: agentFolders, path: [/./, 'sessions', /\.jsonl$/] }],
	databases: [openClawDatabase],
};
