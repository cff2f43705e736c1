import { open } from 'node:fs/promises';

/** Writes a Claude Code transcript of about `bytes` bytes: prompts, answers in two lines, results of 4 to 20 KB. */
export async function writeLongTranscript(
	path: string,
	bytes: number,
	cwd = '/home/me/project',
): Promise<void> {
	const file = await open(path, 'w');
	let written = 0;
	for (let turn = 0; written < bytes; turn++) {
		const base = { sessionId: 's', cwd, timestamp: '2026-01-01T00:00:00.000Z' };
		const answer = (uuid: string, block: unknown) => ({
			...base,
			type: 'assistant',
			uuid,
			message: {
				id: `m${turn}`,
				role: 'assistant',
				model: 'claude-sonnet-4-5',
				content: [block],
				usage: { input_tokens: 3, cache_read_input_tokens: 1000 + turn, output_tokens: 200 },
			},
		});
		const text = `line of some output number ${turn}: const value = compute("name", { deep: [1, 2, 3] });\n`;
		const result = text.repeat(40 + (turn % 5) * 40);
		const records = [
			...(turn % 20 === 0
				? [
						{
							...base,
							type: 'user',
							uuid: `p${turn}`,
							message: { role: 'user', content: 'And now the next one.' },
						},
					]
				: []),
			answer(`t${turn}`, {
				type: 'text',
				text: 'I look at the file that this is about, and then change it.',
			}),
			answer(`c${turn}`, {
				type: 'tool_use',
				id: `call${turn}`,
				name: 'Read',
				input: { file_path: `/src/${turn}.ts` },
			}),
			{
				...base,
				type: 'user',
				uuid: `r${turn}`,
				message: {
					role: 'user',
					content: [{ type: 'tool_result', tool_use_id: `call${turn}`, content: result }],
				},
				toolUseResult: { file: { content: result } },
			},
		];
		const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
		await file.write(lines);
		written += lines.length;
	}
	await file.close();
}
