/** A home folder with a Codex session, which Codex has compacted. */

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '../support/app.ts';

export interface CodexHome {
	base: string;
	/** The folder that Codex works in. */
	workspace: string;
	/** The session's transcript. */
	path: string;
}

const at = '2026-11-01T10:00:00.000Z';
const item = (payload: object) => ({ timestamp: at, type: 'response_item', payload });
const says = (role: string, text: string) =>
	item({
		type: 'message',
		role,
		content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
	});
const prompt = (text: string) => [
	{ timestamp: at, type: 'event_msg', payload: { type: 'user_message', message: text } },
	says('user', text),
];

/** The result of a command that a compaction removed from the window. */
export const lighthouse = `The lighthouse of Sylt is red.\n${'Its keeper counts the ships.\n'.repeat(2000)}`;

/** Creates the home; the session was active an hour ago. */
export function codexHome(): CodexHome {
	const [base, workspace] = [freshFolder(), freshFolder()];
	const folder = join(base, '.codex/sessions/2026/11/01');
	const path = join(folder, 'rollout-2026-11-01T10-00-00-0199c0de-0000-7000-8000-000000000001.jsonl');
	mkdirSync(folder, { recursive: true });
	const records = [
		{
			timestamp: at,
			type: 'session_meta',
			payload: { id: '0199c0de-0000-7000-8000-000000000001', cwd: workspace, model_provider: 'openai' },
		},
		{ timestamp: at, type: 'turn_context', payload: { model: 'gpt-5-codex', cwd: workspace } },
		...prompt('Read the notes of the island.'),
		item({ type: 'function_call', name: 'shell', call_id: 'c1', arguments: '{"command":["cat","notes"]}' }),
		item({ type: 'function_call_output', call_id: 'c1', output: lighthouse }),
		says('assistant', 'I read them.'),
		{
			timestamp: at,
			type: 'compacted',
			payload: {
				message: 'Notes were read.',
				replacement_history: [
					{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Notes were read.' }] },
				],
			},
		},
		...prompt('Now paint it.'),
		says('assistant', 'It is painted.'),
	];
	writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
	const then = new Date(Date.now() - 3_600_000);
	utimesSync(path, then, then);
	return { base, workspace, path };
}
