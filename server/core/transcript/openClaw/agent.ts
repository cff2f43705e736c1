import { piSessionReader } from '../pi/agent.ts';
import { piLimit } from '../pi/limit.ts';
import type { Agent } from '../reading/agent.ts';

/** OpenClaw, built on pi: its files are read as pi's, and lie in a folder for each of its agents. */
export const openClaw: Agent = {
	name: 'openclaw',
	label: 'OpenClaw',
	detect: () => false,
	start: piSessionReader,
	limit: piLimit,
	homes: [
		{
			root: [{ variable: 'OPENCLAW_STATE_DIR', below: ['agents'] }, { below: ['.openclaw', 'agents'] }],
			path: [/./, 'sessions', /\.jsonl$/],
		},
	],
};
