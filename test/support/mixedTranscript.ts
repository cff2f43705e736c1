import { open } from 'node:fs/promises';

/** The models of a session, which change from part to part. */
const models = ['claude-sonnet-4-5', 'claude-opus-4-5', 'claude-sonnet-4-5', 'claude-opus-4-5'];

/** Number of turns between two prompts. */
const turnsOfPrompt = 12;

/** Tokens of a request besides its messages (`standing`), and of the prompt at which the agent compacts (`full`). */
const tokens = { standing: 18_000, full: 166_000 };

/** The approximate number of characters per token. */
const unitsPerToken = 3.6;

/**
 * Writes a Claude Code transcript of about `bytes` bytes, like a session of several days. The model changes, most lines are
 * short, an answer has separate lines for thinking, text and call, a result is stored twice in its line, and between the turns
 * there are attachments, progress, snapshots and system notes. Each line has a uuid and names the previous one. When the
 * window is full, the agent compacts.
 */
export function writeMixedTranscript(path: string, bytes: number, cwd?: string): Promise<void> {
	return writeTurns(path, bytes, tokens.full, cwd);
}

/** Writes the same kind of transcript for an agent that drops old messages without a record. */
export function writeUncompactedTranscript(path: string, bytes: number): Promise<void> {
	return writeTurns(path, bytes, Number.POSITIVE_INFINITY);
}

async function writeTurns(
	path: string,
	bytes: number,
	full: number,
	cwd = '/home/me/project',
): Promise<void> {
	const file = await open(path, 'w');
	let written = 0;
	let last: string | null = null;
	/** Tokens of the conversation that the model sees. */
	let seen = 0;
	for (let turn = 0; written < bytes; turn++) {
		const timestamp = new Date(Date.UTC(2026, 0, 1) + turn * 20_000).toISOString();
		const model = models[Math.floor((written / bytes) * models.length)];
		const prompt = tokens.standing + seen;
		const isFull = prompt > full;
		if (isFull) seen = 0;
		const records = [
			...(isFull ? compaction(turn, prompt) : []),
			...recordsOf(turn, model, Math.min(tokens.standing + seen, tokens.full)),
		];
		const linked = records.map((record, index) => {
			const uuid = `00000000-0000-4000-8000-${String(turn * 16 + index).padStart(12, '0')}`;
			const common = { parentUuid: last, isSidechain: false, userType: 'external', cwd, sessionId: 's' };
			last = uuid;
			return { ...common, version: '2.1.0', gitBranch: 'main', uuid, timestamp, ...record };
		});
		seen += Math.round(saidUnits(records) / unitsPerToken);
		const lines = linked.map((record) => `${JSON.stringify(record)}\n`).join('');
		await file.write(lines);
		written += Buffer.byteLength(lines);
	}
	await file.close();
}

/** Returns the number of characters of records that the model sees. */
function saidUnits(records: readonly object[]): number {
	const said = (records as { message?: { content: unknown } }[]).flatMap(
		({ message }) => message?.content ?? [],
	);
	return JSON.stringify(said, (key, value) => (key === 'signature' ? undefined : value)).length;
}

/** Returns the records of the agent's compaction, before which requests had `preTokens` tokens. */
function compaction(turn: number, preTokens: number): object[] {
	const compactMetadata = { trigger: 'auto', preTokens };
	const content = `The parts up to ${turn} are done. Kept: the old limit, as asked.\n`.repeat(60);
	return [
		{ type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', compactMetadata },
		{ type: 'user', isCompactSummary: true, message: { role: 'user', content } },
	];
}

/** Returns the records of one turn, whose answer reports a prompt of `prompt` tokens. */
function recordsOf(turn: number, model: string | undefined, prompt: number): object[] {
	const answer = (block: object) => ({
		type: 'assistant',
		requestId: `req_${turn}`,
		message: {
			id: `msg_${turn}`,
			type: 'message',
			role: 'assistant',
			model,
			content: [block],
			stop_reason: 'tool_use',
			usage: {
				input_tokens: 8,
				cache_creation_input_tokens: 900 + (turn % 7) * 40,
				cache_read_input_tokens: prompt - 908 - (turn % 7) * 40,
				output_tokens: 150 + (turn % 9) * 20,
			},
		},
	});
	const id = `toolu_${turn}`;
	const call = callOf(turn);
	const output = outputOf(turn);
	const result = { type: 'tool_result', tool_use_id: id, content: output };
	const thinking = `The check of part ${turn} told what is left; I look at the next place, then change it.`;
	return [
		...(turn % turnsOfPrompt === 0 ? besideTurns(turn) : []),
		answer({
			type: 'thinking',
			thinking: `${thinking} `.repeat(1 + (turn % 6)),
			signature: 'c2ln'.repeat(90),
		}),
		...(turn % 3 === 0 ? [answer({ type: 'text', text: `I go on with part ${turn} – “tests” first.` })] : []),
		answer({ type: 'tool_use', id, ...call }),
		{
			type: 'progress',
			toolUseID: id,
			data: { type: 'bash_progress', output: output.slice(0, 200), lines: turn },
		},
		{
			type: 'user',
			message: { role: 'user', content: [result] },
			toolUseResult: { stdout: output, stderr: '' },
		},
	];
}

/** Returns a prompt, and the records between turns. */
function besideTurns(turn: number): object[] {
	const snapshot = { messageId: `m${turn}`, trackedFileBackups: {}, timestamp: '2026-01-01T00:00:00.000Z' };
	const snippet = '12\tconst limit = readLimit(settings);\n'.repeat(4);
	return [
		{ type: 'file-history-snapshot', messageId: `m${turn}`, snapshot, isSnapshotUpdate: false },
		{ type: 'system', subtype: 'turn_duration', durationMs: 1000 + turn, isMeta: false },
		{ type: 'user', message: { role: 'user', content: `Now part ${turn}: keep the old limit, please.` } },
		{ type: 'attachment', attachment: { type: 'edited_text_file', filename: `src/${turn}.ts`, snippet } },
	];
}

function callOf(turn: number): { name: string; input: object } {
	const filePath = `/home/me/project/src/part${turn % 40}.ts`;
	if (turn % 3 === 0) return { name: 'Read', input: { file_path: filePath } };
	if (turn % 3 === 1)
		return { name: 'Edit', input: { file_path: filePath, old_string: `a${turn}`, new_string: `b${turn}` } };
	return { name: 'Bash', input: { command: `cd src && npx vitest run part${turn} 2>&1 | tail -20` } };
}

/** Returns an output. Three of four are short, like those of edits and checks; the others are files and long logs. */
function outputOf(turn: number): string {
	const lines = turn % 4 === 3 ? 60 + (turn % 5) * 40 : 1 + (turn % 8);
	return Array.from(
		{ length: lines },
		(_, line) => `${line + 1}\tconst value${turn + line} = compute("name", { deep: [${line}, 2, 3] });`,
	).join('\n');
}
