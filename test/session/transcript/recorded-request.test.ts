import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readStats } from '../../../server/session/stats.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';
import { prose } from '../../support/messages.ts';
import { importerOver, sessionOf } from '../../support/transcripts.ts';
import { recordsOf, testWorld } from '../../support/world.ts';

const base = { sessionId: 's', cwd: '/w' };
const prompt = { ...base, type: 'user', uuid: 'u', message: { role: 'user', content: prose(400, 1) } };
const answer = {
	...base,
	type: 'assistant',
	uuid: 'a',
	parentUuid: 'u',
	message: {
		id: 'm',
		role: 'assistant',
		model: 'claude-sonnet-4-5',
		content: [{ type: 'text', text: prose(20, 2) }],
		usage: { input_tokens: 9_000, output_tokens: 40 },
	},
};
const snapshot = {
	...base,
	type: 'attachment',
	uuid: 'p',
	attachment: {
		type: 'prompt_snapshot',
		systemPrompt: [prose(900, 3), `# Tone\n${prose(300, 4)}`],
		tools: [
			{ name: 'Bash', description: prose(800, 5), input_schema: {} },
			{ name: 'mcp__git__log', description: prose(200, 6), input_schema: {} },
		],
	},
};
const skills = {
	...base,
	type: 'attachment',
	uuid: 'k',
	attachment: { type: 'skill_listing', content: prose(60, 7) },
};

afterEach(removeFolders);

async function imported(records: readonly object[]) {
	const path = join(freshFolder(), 'session.jsonl');
	await writeFile(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
	const world = testWorld();
	const { sessionId } = await importerOver(world).importTranscript({ path });
	return { world, sessionId, path, stats: await readStats(await sessionOf(world, sessionId), world.client) };
}

describe('transcripts that record their requests', () => {
	it.each([
		['before the answer', [prompt, skills, snapshot, answer]],
		['after the answer', [prompt, answer, skills, snapshot]],
	])('a recorded request splits the reported figure into its parts (recorded %s)', async (_, records) => {
		const { stats } = await imported(records);
		expect(stats).toMatchObject({ estimatedInputTokens: 9_040, source: 'reported' });
		const { breakdown, details } = stats ?? {};
		expect(breakdown?.systemPrompt).toBeGreaterThan(1_000);
		expect(breakdown?.toolDefinitions).toBeGreaterThan(1_000);
		expect(details?.systemPrompt?.map(({ name }) => name)).toEqual(['Instructions', 'Tone']);
		expect(details?.toolDefinitions?.map(({ name }) => name)).toEqual(['Bash', 'git (MCP)']);
		for (const row of ['systemPrompt', 'toolDefinitions', 'other'] as const) {
			const sum = details?.[row]?.reduce((all, { tokens }) => all + tokens, 0);
			expect(sum ?? breakdown?.[row]).toBe(breakdown?.[row]);
		}
	});

	it('a recorded request is read again at the next import without a new record', async () => {
		const { world, sessionId, path } = await imported([prompt, snapshot, answer]);
		const before = (await recordsOf(world, sessionId)).length;
		await importerOver(await world.restart()).importTranscript({ path });
		expect((await recordsOf(world, sessionId)).length).toBe(before);
	});

	it('a recorded request is counted before the first answer', async () => {
		const { stats } = await imported([prompt, snapshot]);
		expect(stats?.source).toBe('estimated');
		expect(stats?.breakdown.toolDefinitions).toBeGreaterThan(1_000);
	});
});
