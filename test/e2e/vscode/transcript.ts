/** A Claude Code session in the home of a run, in that agent's format. */

import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Home } from './home.ts';

export interface ClaudeSession {
	path: string;
	/** Appends a question with its answer, whose request had this number of tokens; the answer repeats a sentence. */
	turn(question: string, tokens: number, sentence?: string): void;
	/** Bytes written so far. */
	size(): number;
}

/** Returns the folder in which Claude Code keeps the sessions of the home's workspace. */
function projectOf({ base, workspace }: Pick<Home, 'base' | 'workspace'>): string {
	const project = path.join(base, '.claude/projects', workspace.replace(/[^a-zA-Z0-9]/g, '-'));
	mkdirSync(project, { recursive: true });
	return project;
}

/** Copies a recorded session to that folder, as a session that just worked in the home's workspace; returns its path. */
export function realSession(home: Home, recorded: string): string {
	const now = new Date().toISOString();
	const moved = readFileSync(recorded, 'utf8')
		.replace(/"cwd":"[^"]*"/g, `"cwd":${JSON.stringify(home.workspace)}`)
		.replace(/"timestamp":"[^"]*"/g, `"timestamp":"${now}"`);
	const file = path.join(projectOf(home), 'real.jsonl');
	writeFileSync(file, moved);
	return file;
}

/** Begins a session in a workspace. The first turn creates its file. */
export function claudeSession(home: Pick<Home, 'base' | 'workspace'>, name: string): ClaudeSession {
	const file = path.join(projectOf(home), `${name}.jsonl`);
	const common = { sessionId: name, cwd: home.workspace, version: '2.0.0', isSidechain: false };
	let turns = 0;
	let parentUuid: string | null = null;

	function record(fields: { type: string; message: object }): void {
		const uuid = `${name}-${fields.type}-${turns}`;
		const timestamp = new Date().toISOString();
		appendFileSync(file, `${JSON.stringify({ ...common, ...fields, uuid, parentUuid, timestamp })}\n`);
		parentUuid = uuid;
	}

	return {
		path: file,
		turn(question, tokens, sentence = 'The parser reads the digits one by one and builds a date. ') {
			turns++;
			record({ type: 'user', message: { role: 'user', content: question } });
			const text = `Answer ${turns}. ${sentence.repeat(120)}`;
			record({
				type: 'assistant',
				message: {
					id: `msg_${name}_${turns}`,
					type: 'message',
					role: 'assistant',
					model: 'claude-sonnet-4-5',
					content: [{ type: 'text', text }],
					stop_reason: 'end_turn',
					usage: { input_tokens: tokens, output_tokens: 1_500 },
				},
			});
		},
		size: () => statSync(file).size,
	};
}
