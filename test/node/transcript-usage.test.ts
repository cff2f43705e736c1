import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiscovery } from '../../server/node/transcript/discover/discover.ts';
import { readTranscriptUsage } from '../../server/node/transcriptFiles.ts';
import { silentLogger } from '../support/logger.ts';

const timestamp = '2026-11-01T10:00:00.000Z';
const records = [
	{ type: 'user', uuid: 'u', sessionId: 's', cwd: '/w', timestamp, message: { role: 'user', content: 'Hi' } },
	{
		type: 'assistant',
		uuid: 'a',
		parentUuid: 'u',
		sessionId: 's',
		timestamp,
		message: {
			id: 'm',
			role: 'assistant',
			model: 'claude-sonnet-4-5',
			content: [{ type: 'text', text: 'Yes' }],
			usage: { input_tokens: 90_000, output_tokens: 10 },
		},
	},
];
let home: string;
let path: string;

beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), 'contextd-test-'));
	path = join(home, '.claude', 'projects', '-w', 's.jsonl');
	mkdirSync(join(path, '..'), { recursive: true });
	writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('a transcript that was found', () => {
	it('readTranscriptUsage returns the fullness of a transcript without importing it', () => {
		const machine = { home, environment: {}, platform: 'linux' as const };
		expect(readTranscriptUsage(path, machine)).toEqual({
			tokens: 90_010,
			limit: 167_000,
			model: 'claude-sonnet-4-5',
		});
		writeFileSync(join(home, '.claude', 'settings.json'), '{"autoCompactWindow":100000}');
		expect(readTranscriptUsage(path, machine)?.limit).toBe(67_000);
		expect(readTranscriptUsage(`${path}.json`, machine)).toBeUndefined();
	});

	it('counts the system prompt of the original for a copy that was not continued yet', () => {
		const machine = { home, environment: {}, platform: 'linux' as const };
		const [prompt] = records;
		const contextd = { copyOf: '/original.jsonl', overheadTokens: 24_000 };
		const title = { type: 'custom-title', customTitle: '[compacted] Hi', sessionId: 's', contextd };
		writeFileSync(path, `${JSON.stringify(title)}\n${JSON.stringify(prompt)}\n`);
		const usage = readTranscriptUsage(path, machine);
		expect(usage?.tokens).toBeGreaterThan(24_000);
		expect(usage?.tokens).toBeLessThan(24_100);
		expect(usage?.isGuess).toBe(true);
	});

	it.each([-5, 1e300, '24000', null])('ignores the overhead %j of a copy', (overheadTokens) => {
		const machine = { home, environment: {}, platform: 'linux' as const };
		const [prompt] = records;
		const contextd = { copyOf: 7, overheadTokens };
		const title = { type: 'custom-title', customTitle: ['x'], sessionId: 's', contextd };
		writeFileSync(path, `${JSON.stringify(title)}\n${JSON.stringify(prompt)}\n`);
		const tokens = readTranscriptUsage(path, machine)?.tokens ?? 0;
		expect(tokens).toBeGreaterThan(0);
		expect(tokens).toBeLessThan(100);
	});

	it('readTranscriptUsage ignores the messages of a sub-agent', () => {
		const [, answer] = records;
		const side = Array.from({ length: 200 }, (_, index) => ({
			...answer,
			uuid: `side${index}`,
			isSidechain: true,
			message: {
				...answer?.message,
				id: `side${index}`,
				model: 'claude-haiku-4-5',
				content: [{ type: 'text', text: 'I look. '.repeat(100) }],
				usage: { input_tokens: 3000, output_tokens: 10 },
			},
		}));
		writeFileSync(path, [...records, ...side].map((record) => `${JSON.stringify(record)}\n`).join(''));
		expect(readTranscriptUsage(path, { home, environment: {}, platform: 'linux' })).toMatchObject({
			tokens: 90_010,
			model: 'claude-sonnet-4-5',
		});
	});

	it('discovery returns the time at which a transcript began', async () => {
		const discover = createDiscovery({ home, environment: {}, platform: 'linux' }, silentLogger);
		expect(await discover('/w')).toMatchObject([{ path, startedAt: Date.parse(timestamp) }]);
	});
});
