/** A session of Claude Code as its hooks see it: a transcript, settings, and input. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One line of a conversation: a text by a role, or a call with its result. */
export type ConversationLine =
	| { role: 'user' | 'assistant'; text: string }
	| { call: string; args: object; result: string };

/** Files and input for a hook under test. */
export interface HookSession {
	folder: string;
	transcript: string;
	/** The file of `--settings-from`. */
	settings: string;
	state: string;
	/** Returns the JSON that Claude Code passes for an event. */
	input(event: string, more?: object): string;
	end(): Promise<void>;
}

/** The id of the session. */
export const sessionId = '0d5c1b34-7a0e-4a5f-9a67-3d0b6f1c2e01';

function records(said: readonly ConversationLine[], cwd: string): object[] {
	let parent: string | null = null;
	const made: object[] = [];
	const add = (type: 'user' | 'assistant', content: unknown): void => {
		const uuid = `u-${made.length}`;
		const message =
			type === 'user'
				? { role: 'user', content }
				: {
						id: `msg-${made.length}`,
						type: 'message',
						role: 'assistant',
						model: 'claude-sonnet-4-5',
						content,
					};
		const timestamp = new Date(1_795_000_000_000 + made.length * 1000).toISOString();
		made.push({ type, uuid, parentUuid: parent, sessionId, cwd, timestamp, version: '2.1.286', message });
		parent = uuid;
	};
	for (const [index, one] of said.entries()) {
		if ('call' in one) {
			const id = `toolu_${index}`;
			add('assistant', [{ type: 'tool_use', id, name: one.call, input: one.args }]);
			add('user', [{ type: 'tool_result', tool_use_id: id, content: one.result }]);
		} else if (one.role === 'user') add('user', one.text);
		else add('assistant', [{ type: 'text', text: one.text }]);
	}
	return made;
}

/** Writes a session with these lines. */
export async function hookSession(
	said: readonly ConversationLine[],
	settings: object = {},
): Promise<HookSession> {
	const folder = await mkdtemp(join(tmpdir(), 'contextd-hooks-'));
	const [transcript, file, state] = [`${sessionId}.jsonl`, 'settings.json', 'state'].map((name) =>
		join(folder, name),
	) as [string, string, string];
	await mkdir(state, { mode: 0o700 });
	const lines = records(said, folder).map((record) => JSON.stringify(record));
	await writeFile(transcript, `${lines.join('\n')}\n`);
	await writeFile(file, JSON.stringify({ storage: { directory: state }, ...settings }), { mode: 0o600 });
	return {
		folder,
		transcript,
		settings: file,
		state,
		input: (event, more = {}) =>
			JSON.stringify({
				session_id: sessionId,
				transcript_path: transcript,
				cwd: folder,
				hook_event_name: event,
				...more,
			}),
		end: () => rm(folder, { recursive: true, force: true }),
	};
}

/** Returns the outcome of a shell call, as Claude Code passes it. */
export function shellCall(stdout: string, more: object = {}): object {
	const toolResponse = { stdout, stderr: '', interrupted: false, isImage: false, ...more };
	return {
		tool_name: 'Bash',
		tool_input: { command: 'npm test' },
		tool_use_id: 'toolu_9',
		tool_response: toolResponse,
	};
}
