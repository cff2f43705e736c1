import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiscovery } from '../../server/node/transcript/discover/discover.ts';
import { findNewestTranscript } from '../../server/node/transcript/discover/newest.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';
import { fillHome } from '../support/usedHome.ts';

let home: string;

beforeEach(() => {
	home = freshFolder();
});

afterEach(removeFolders);

const machine = () => ({ environment: {}, home, platform: 'linux' }) as const;

async function put(path: string, cwd: string, seconds: number): Promise<string> {
	const full = join(home, path);
	await mkdir(join(full, '..'), { recursive: true });
	const meta = { timestamp: '2026-01-01T00:00:00.000Z', type: 'session_meta', payload: { id: 'c', cwd } };
	await writeFile(full, `${JSON.stringify(meta)}\n`);
	await utimes(full, seconds, seconds);
	return full;
}

describe('findNewestTranscript', () => {
	it('findNewestTranscript returns the first of the transcripts that a search finds', async () => {
		await fillHome(home, '/w', 120);
		const [first] = await createDiscovery(machine(), silentLogger)('/w');
		expect(await findNewestTranscript(machine(), '/w')).toMatchObject({ path: first?.path });
	});

	it('findNewestTranscript returns nothing for a folder in which no agent worked', async () => {
		expect(await findNewestTranscript(machine(), '/w')).toBeUndefined();
		await fillHome(home, '/w', 60);
		expect(await findNewestTranscript(machine(), '/elsewhere')).toBeUndefined();
	});

	it('findNewestTranscript finds transcripts of folders below, and none of siblings', async () => {
		const inner = await put('.codex/sessions/2026/01/01/rollout-1.jsonl', '/w/inner', 1_000_000);
		await put('.codex/sessions/2026/01/01/rollout-2.jsonl', '/w2', 2_000_000);
		expect(await findNewestTranscript(machine(), '/w')).toMatchObject({ path: inner });
	});

	it('findNewestTranscript finds a folder whose name has letters that agents may encode', async () => {
		const path = await put('.codex/sessions/2026/01/01/rollout-1.jsonl', '/w/é 日本', 1_000_000);
		expect(await findNewestTranscript(machine(), '/w/é 日本')).toMatchObject({ path });
	});
});
