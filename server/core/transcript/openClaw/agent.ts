import { piSessionReader } from '../pi/agent.ts';
import type { Agent } from '../reading/agent.ts';
import type { Place } from '../reading/home.ts';
import { fieldsOf } from '../reading/values.ts';
import { openClawDatabase } from './database.ts';
import { openClawLimit, openClawSettings } from './limit.ts';

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
