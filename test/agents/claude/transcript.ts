/** Checks that Claude Code's transcript still has every message, whatever contextd decided. */

import { readFile } from 'node:fs/promises';
import type { Answer } from '../mock/answer.ts';
import type { Fields } from '../mock/request.ts';
import type { ClaudeSession } from './session.ts';

/** A block of a message in the transcript, with the ids of its row and of its message. */
type Block = Fields & { row: string; message: unknown };

/** Returns the rows that are messages. Other rows describe requests, and repeat pieces of messages. */
function messagesIn(rows: readonly Fields[]): Fields[] {
	return rows.filter(
		({ type, uuid }) => (type === 'user' || type === 'assistant') && typeof uuid === 'string',
	);
}

function blocksIn(rows: readonly Fields[]): Block[] {
	return messagesIn(rows).flatMap(({ uuid, message }) => {
		const { id, content } = (message ?? {}) as Fields;
		const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
		if (!Array.isArray(blocks)) return [];
		return blocks.map((block: Fields) => ({ ...block, row: String(uuid), message: id }));
	});
}

/** Returns an answer of the mock as blocks of one message. */
function saidIn({ id, thinking, text, calls }: Answer): Fields[] {
	const message = `msg_${id}`;
	return [
		...(thinking === undefined ? [] : [{ message, type: 'thinking', thinking, signature: `signed-${id}` }]),
		...(text === undefined ? [] : [{ message, type: 'text', text }]),
		...calls.map(({ name, args }, index) => ({
			message,
			type: 'tool_use',
			id: `call_${id}_${index}`,
			name,
			input: args,
		})),
	];
}

function has(block: Fields, wanted: Fields): boolean {
	return Object.entries(wanted).every(
		([name, value]) => JSON.stringify(block[name]) === JSON.stringify(value),
	);
}

/** Returns the lines of a text file that a result lacks; for a picture, its path if the result lacks its bytes. */
async function findMissingLines(path: string, result: Block): Promise<string[]> {
	const resultText = JSON.stringify(result.content);
	const bytes = await readFile(path);
	if (path.endsWith('.png')) return resultText.includes(bytes.toString('base64')) ? [] : [path];
	return bytes
		.toString('utf8')
		.split('\n')
		.filter((line) => !resultText.includes(JSON.stringify(line).slice(1, -1)));
}

/**
 * Describes the parts of a session that the transcript lacks; empty if nothing is missing. Required are every text, thought and call
 * of the model's answers, each under its id, a result for each call with everything that was read, and the user's prompts.
 * @param said the whole prompts of the user
 */
export async function findMissingParts(session: ClaudeSession, said: readonly string[]): Promise<string[]> {
	const blocks = blocksIn(await session.transcript());
	const missing: string[] = [];
	for (const text of said) {
		if (!blocks.some((block) => has(block, { type: 'text', text }))) missing.push(`the user's "${text}"`);
	}
	for (const { request, answer } of session.mock.exchanges) {
		if (request.kind !== 'main') continue;
		for (const wanted of saidIn(answer)) {
			if (!blocks.some((block) => has(block, wanted))) missing.push(JSON.stringify(wanted));
		}
		for (const [index, { args }] of answer.calls.entries()) {
			const callId = `call_${answer.id}_${index}`;
			const results = blocks.filter(({ tool_use_id }) => tool_use_id === callId);
			const [result] = results;
			if (result === undefined || results.length > 1) missing.push(`${results.length} results of ${callId}`);
			else if (typeof args.file_path === 'string')
				missing.push(...(await findMissingLines(args.file_path, result)));
		}
	}
	return missing;
}

/** Returns the ids of all messages of the transcript in order. */
export async function listMessageIds(session: ClaudeSession): Promise<string[]> {
	return messagesIn(await session.transcript()).map(({ uuid }) => String(uuid));
}
