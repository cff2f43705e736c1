/** What hostile requests speak of: a workspace with its files, transcripts, messages, and ids that were heard of. */

import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anyParams, type KnownThings, oddValues, type Schema } from '../anyParams.ts';
import { evilText, toolNames } from './texts.ts';

export interface ThingsOptions {
	/** Where a workspace is made. */
	folder: string;
	/** The daemon's state folder. */
	home: string;
	/** Definitions of the contract's schema. */
	definitions: Record<string, Schema>;
	/** From 0 up to 1. */
	random(): number;
	/** Names of the commands that `workspace/executeCommand` knows. */
	commands: readonly string[];
}

/** How many sessions are spoken of. */
export const sessions: readonly string[] = Array.from({ length: 12 }, (_, index) => `s${index}`);

/** A workspace, and the things to speak of in it. */
export function hostileThings({ folder, home, definitions, random, commands }: ThingsOptions) {
	const workspace = join(folder, 'work');
	const transcript = join(workspace, 'session.jsonl');
	const { made, spoiled } = anyParams(definitions, random);
	const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
	const heard = { messageId: ['m0', 'own-1'], compactionId: ['none'], checkpointId: ['none'] };

	mkdirSync(join(workspace, 'src'), { recursive: true });
	for (const name of ['a.ts', 'b.ts']) writeFileSync(join(workspace, 'src', name), `${name}\n`.repeat(400));
	symlinkSync('/etc', join(workspace, 'away'));
	beginTranscript();

	function line(role: string): string {
		const uuid = `${role}-${Math.floor(random() * 1e9)}`;
		const content = random() < 0.1 ? evilText(random) : 'Hi';
		return `${JSON.stringify({ type: role, uuid, sessionId: 's', message: { role, content } })}\n`;
	}

	function beginTranscript(): void {
		writeFileSync(transcript, `${line('user')}${line('assistant')}`);
	}

	const text = (): string =>
		random() < 0.005
			? evilText(random)
			: pick(['word ', 'line\n', 'ü🎉 ', '## 10. Rules\n', 'x']).repeat(Math.floor(random() * 300));
	const path = (): string =>
		pick([
			`${workspace}/src/a.ts`,
			'src/b.ts',
			`${workspace}/away/passwd`,
			`file://${workspace}/src/a.ts`,
			'/w/\ud800.ts',
		]);

	function message(): unknown {
		const id = pick([undefined, `own-${Math.floor(random() * 2000)}`]);
		const call = `c${Math.floor(random() * 40)}`;
		const args = pick<unknown>([
			{ file_path: path() },
			{ command: `cat ${path()}` },
			{ command: text() },
			[],
			pick(oddValues),
		]);
		const usage = { input: Math.floor(random() * 150_000), output: 40 };
		return pick<unknown>([
			{ id, role: 'user', content: text() },
			{ id, role: 'assistant', content: text(), ...(random() < 0.3 && { usage }) },
			{ id, role: 'assistant', content: '', toolCalls: [{ id: call, name: pick(toolNames), args }] },
			{ id, role: 'tool', toolCallId: call, toolName: 'Read', content: text() },
			{ role: 'assistant', content: [{ type: 'tool_use', id: call, name: 'run', input: {} }] },
			{ role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: text() }] },
			{ role: 'model', parts: [{ text: text() }] },
			{ type: 'function_call', call_id: call, name: 'run', arguments: '{}' },
			spoiled({ role: 'user', content: [{ type: 'text', text: text() }] }),
			spoiled({ id, role: 'assistant', content: text(), toolCalls: [{ id: call, name: 'Edit', args }] }),
			{ ...(spoiled({ role: 'user', content: text(), metadata: {} }) as object), id },
		]);
	}

	function known(): KnownThings {
		const ids = heard.messageId;
		return {
			sessionId: sessions,
			messageId: ids,
			messageIds: [ids.slice(-3)],
			preserve: [ids.slice(-2)],
			from: ids,
			to: ids,
			threshold: [0, 0.001, 0.5, 1],
			query: ['word', 'line Rules', text()],
			text: [text()],
			output: [text()],
			compactionId: heard.compactionId,
			checkpointId: heard.checkpointId,
			messages: [Array.from({ length: 1 + Math.floor(random() * 6) }, message)],
			uri: [path()],
			uris: [[path()]],
			path: [transcript, path()],
			workspace: [workspace, `file://${workspace}`],
			provider: ['anthropic', 'openai', 'google', 'nobody'],
			model: ['claude-sonnet-4', 'gpt-4o', 'gemini-2.5-pro', 'local'],
			error: ['prompt is too long: 250000 tokens > 200000 maximum', { status: 413 }, 'rate limit', text()],
			contextWindow: [4000, 32_000, 200_000],
			toolDefinitions: [[{ name: 'run', description: text(), parameters: {} }]],
			command: commands,
			arguments: [[{ sessionId: 's1' }], [[]], [], [{ sessionId: 's2', messages: [message()] }]],
			readOnly: [false, false, true],
			saveDir: [workspace, join(home, 'outputs'), join(home, 'sessions'), '/etc'],
			follow: [random() < 0.1],
		};
	}

	return {
		workspace,
		made: (schema: Schema): unknown => made(schema, known()),
		spoiled,
		/** Remembers the ids of an answer. */
		note(result: unknown): void {
			const { messageIds, compactionId, checkpointId } = (result ?? {}) as Record<string, unknown>;
			const keep = (list: string[], id: unknown): void => {
				if (typeof id !== 'string') return;
				list.push(id);
				if (list.length > 60) list.shift();
			};
			if (Array.isArray(messageIds)) for (const one of messageIds.slice(-2)) keep(heard.messageId, one);
			keep(heard.compactionId, compactionId);
			keep(heard.checkpointId, checkpointId);
		},
		/** The agent goes on writing its transcript, or begins it anew. */
		growTranscript(): void {
			if (random() < 0.1) beginTranscript();
			else appendFileSync(transcript, line(pick(['user', 'assistant'])));
		},
	};
}
