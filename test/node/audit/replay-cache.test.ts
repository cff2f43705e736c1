import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ConversationReplay } from '../../../server/core/replay/alternatives.ts';
import { ReplayCache } from '../../../server/node/audit/replayCache.ts';

let folder = '';
beforeEach(async () => {
	folder = await mkdtemp(path.join(tmpdir(), 'contextd-replays-'));
});
afterEach(() => rm(folder, { recursive: true }));

const replay: ConversationReplay = {
	recordedUsd: 2,
	usd: { nothing: 1, own: 2, full: 3, balanced: 4, cheap: 5 },
	isCompacted: true,
	hasLongPause: false,
};

async function stored(): Promise<string> {
	const cache = await ReplayCache.open(folder, 'version 1');
	cache.set('a', replay);
	await cache.save();
	return path.join(folder, 'audit', 'replays.json');
}

test('a stored replay is found by the next audit with the same version and settings', async () => {
	const file = await stored();
	expect((await ReplayCache.open(folder, 'version 1')).get('a')).toEqual(replay);
	expect((await ReplayCache.open(folder, 'version 2')).get('a')).toBeUndefined();
	expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('replays of other sessions stay', async () => {
	await stored();
	const cache = await ReplayCache.open(folder, 'version 1');
	cache.set('b', replay);
	await cache.save();
	const again = await ReplayCache.open(folder, 'version 1');
	expect([again.get('a'), again.get('b')]).toEqual([replay, replay]);
});

test.each(['', '{', '[]', '{"basis":5}'])('a damaged file is an empty cache: %j', async (text) => {
	await writeFile(await stored(), text);
	expect((await ReplayCache.open(folder, 'version 1')).get('a')).toBeUndefined();
});
