import { piSessionReader } from '../pi/agent.ts';
import type { Agent } from '../reading/agent.ts';
import type { Place } from '../reading/home.ts';
import { fieldsOf } from '../reading/values.ts';

const sessions: Place = [{ below: ['.factory', 'sessions'] }];

/** The session files of Factory's Droid, whose messages stand in the same kind of envelope. */
export const droidSession: Agent = {
	name: 'droid',
	label: 'Droid',
	detect: ({ records }) =>
		records.some((record) => {
			const { type, id } = fieldsOf(record);
			return type === 'session_start' && typeof id === 'string';
		}),
	start: piSessionReader,
	homes: [
		{ root: sessions, path: [/./, /\.jsonl$/] },
		// All sessions lay side by side before.
		{ root: sessions, path: [/\.jsonl$/] },
	],
};
