/** The home folder of a user of several agents. */

import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface Place {
	path: string;
	lines: unknown[];
}

const usage = {
	input_tokens: 3,
	cache_read_input_tokens: 40_000,
	cache_creation_input_tokens: 500,
	output_tokens: 200,
};
const text = 'line of some output: const value = compute("name", { deep: [1, 2, 3] });\n'.repeat(100);

function claudeCode(cwd: string, no: number): Place {
	const base = { sessionId: `s${no}`, cwd, timestamp: '2026-01-01T00:00:00.000Z' };
	const result = [{ type: 'tool_result', tool_use_id: 'c', content: text }];
	const content = [{ type: 'text', text: 'Done.' }];
	const message = { id: `m${no}`, role: 'assistant', model: 'claude-sonnet-4-5', content, usage };
	return {
		path: `.claude/projects/${cwd.replace(/[^a-zA-Z0-9]/g, '-')}/${no}.jsonl`,
		lines: [
			{ ...base, type: 'user', uuid: 'p', message: { role: 'user', content: 'Look at it.' } },
			{ ...base, type: 'user', uuid: 'r', message: { role: 'user', content: result } },
			{ ...base, type: 'assistant', uuid: 'a', message },
		],
	};
}

function codex(cwd: string, no: number): Place {
	const timestamp = '2026-01-01T00:00:00.000Z';
	const day = String(1 + (no % 28)).padStart(2, '0');
	const info = {
		last_token_usage: { input_tokens: 9000, output_tokens: 100 },
		model_context_window: 258_400,
	};
	const content = [{ type: 'input_text', text }];
	return {
		path: `.codex/sessions/2026/01/${day}/rollout-2026-01-${day}-${no}.jsonl`,
		lines: [
			{ timestamp, type: 'session_meta', payload: { id: `c${no}`, cwd, base_instructions: { text } } },
			{ timestamp, type: 'response_item', payload: { type: 'message', role: 'user', content } },
			{ timestamp, type: 'event_msg', payload: { type: 'token_count', info } },
		],
	};
}

function pi(cwd: string, no: number): Place {
	const message = { role: 'user', content: [{ type: 'text', text }] };
	return {
		path: `.pi/agent/sessions/--${cwd.slice(1).replaceAll('/', '-')}--/${no}.jsonl`,
		lines: [
			{ type: 'session', version: 3, id: `p${no}`, cwd, timestamp: '2026-01-01T00:00:00.000Z' },
			{ type: 'message', id: 'm', parentId: null, message },
		],
	};
}

/**
 * Fills a home folder with `count` transcripts of three agents: half of Claude Code, a third of Codex, the rest of pi. A
 * tenth of the sessions worked in `folder`, but none of the nine newest; the others worked in twenty other folders.
 */
export async function fillHome(home: string, folder: string, count: number): Promise<void> {
	const kinds = [claudeCode, codex, claudeCode, codex, claudeCode, pi];
	for (let no = 0; no < count; no++) {
		const isOurs = no % 10 === 0;
		const cwd = isOurs ? folder : `/home/me/project${no % 20}`;
		const place = (kinds[no % kinds.length] ?? pi)(cwd, no);
		const path = join(home, place.path);
		await mkdir(dirname(path), { recursive: true });
		await writeFile(path, place.lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
		const seconds = 1_767_225_600 - 60 * (isOurs ? no + 10 : no);
		await utimes(path, seconds, seconds);
	}
}
