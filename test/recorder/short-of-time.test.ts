/** What the recorder reads while it has too little time, by a clock that only the tests move. */

import { appendFileSync, mkdirSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { maxRawLineBytes } from '../../server/node/transcript/rawLines.ts';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { Follower } from '../../server/recorder/follow/follower.ts';
import { LineTranscript } from '../../server/recorder/follow/lineTranscript.ts';
import { OutputFile } from '../../server/recorder/follow/outputFile.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';

/** Functions that report a changed name in a watched folder, by the path of the folder. */
const changedIn = vi.hoisted(() => new Map<string, (event: string, name: string) => void>());

vi.mock('node:fs', async (original) => ({
	...(await original<object>()),
	watch: (path: string, _: unknown, changed: (event: string, name: string) => void) => {
		changedIn.set(path, changed);
		return { on: () => undefined, close: () => undefined };
	},
}));

/** Time to the next pass, time for which a changed transcript is followed closely, and time of a slice. Milliseconds. */
const [passMs, liveMs, sliceMs] = [3_000, 10 * 60_000, 60];
const outputFile = 's1/tool-results/toolu_1.txt';

let now: number;
let project: string;
let archive: Archive;
let follower: Follower;
let outcomes: string[];

beforeEach(() => {
	now = 1_000;
	vi.spyOn(performance, 'now').mockImplementation(() => now);
	const home = freshFolder();
	project = join(home, '.claude', 'projects', '-w');
	outcomes = [];
	archive = new Archive(join(freshFolder(), 'archive.sqlite'));
	follower = new Follower({
		archive,
		machine: { environment: {}, home, platform: process.platform },
		excludedFolders: () => [],
		log: silentLogger,
		onFailure: (error) => outcomes.push(String(error)),
		onSuccess: () => outcomes.push('succeeded'),
	});
});

afterEach(async () => {
	await follower.stop();
	archive.close();
	vi.restoreAllMocks();
	await removeFolders();
});

function line(sessionId: string, content: string): string {
	const message = { role: 'user', content };
	return `${JSON.stringify({ type: 'user', uuid: content, sessionId, cwd: '/w', message })}\n`;
}

/** Writes a file, dated a minute ago. Returns its path. */
function write(name: string, content: string): string {
	const path = join(project, name);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, content);
	utimesSync(path, Date.now() / 1000 - 60, Date.now() / 1000 - 60);
	return path;
}

async function roundAfter(ms: number): Promise<void> {
	now += ms;
	await follower.runRound();
}

function entryCounts(): number[] {
	return archive.listRecordings().map(({ entries }) => entries);
}

it('reads a change of an old transcript later if there was no time for it', async () => {
	const files = ['s1', 's2'].map((id) => write(`${id}.jsonl`, line(id, 'One')));
	await roundAfter(0);
	await roundAfter(liveMs - 1_000);
	expect(entryCounts()).toEqual([1, 1]);
	for (const file of files) appendFileSync(file, line('any', 'Two'));
	const append = archive.append.bind(archive);
	vi.spyOn(archive, 'append').mockImplementation((...given) => {
		now += sliceMs;
		return append(...given);
	});
	await roundAfter(1_500);
	expect(entryCounts().sort()).toEqual([1, 2]);
	await roundAfter(passMs);
	expect(entryCounts()).toEqual([2, 2]);
});

it('reads transcripts although looking at all of them takes longer than a slice', async () => {
	vi.spyOn(LineTranscript.prototype, 'mayHaveChanged', 'get').mockImplementation(() => {
		now += sliceMs;
		return true;
	});
	for (const id of ['s1', 's2']) write(`${id}.jsonl`, line(id, 'One'));
	await roundAfter(0);
	expect(entryCounts()).toEqual([1, 1]);
});

it('keeps an output in the queue while its session waits there', async () => {
	mkdirSync(join(project, dirname(outputFile)), { recursive: true });
	await roundAfter(0);
	const positionAt = archive.readPositionAt.bind(archive);
	vi.spyOn(archive, 'readPositionAt').mockImplementation((path) => {
		now += sliceMs;
		return positionAt(path);
	});
	changedIn.get(dirname(write(outputFile, 'Output')))?.('rename', 'toolu_1.txt');
	changedIn.get(dirname(write('s1.jsonl', line('s1', 'One'))))?.('rename', 's1.jsonl');
	for (let round = 0; round < 3; round++) await roundAfter(0);
	expect(entryCounts()).toEqual([1, 1]);
	expect(follower.unreadTranscripts).toEqual([]);
});

it('leaves an output that is still written to a later pass', async () => {
	write('s1.jsonl', line('s1', 'One'));
	const { mtimeMs } = statSync(write(outputFile, 'Output'));
	const clock = vi.spyOn(Date, 'now').mockReturnValue(mtimeMs);
	for (let round = 0; round < 2; round++) await roundAfter(0);
	expect(follower.unreadTranscripts).toHaveLength(1);
	await roundAfter(1_001);
	expect([follower.isIdle, entryCounts().sort()]).toEqual([true, [0, 1]]);
	clock.mockReturnValue(mtimeMs + 1_000);
	await roundAfter(passMs);
	expect(entryCounts()).toEqual([1, 1]);
});

it('does not read an output that has become too large', () => {
	const path = write(outputFile, '');
	truncateSync(path, maxRawLineBytes + 1);
	utimesSync(path, 1, 1);
	const output = new OutputFile(archive, 'none', path, () => ({}));
	expect(output.readMore()).toEqual({ hasMore: false, hasChanged: false });
});

it('reports a round that failed, and those that succeed after it', async () => {
	vi.spyOn(archive, 'transaction').mockImplementationOnce(() => {
		throw new Error('disk full');
	});
	write('s1.jsonl', line('s1', 'One'));
	for (let round = 0; round < 3; round++) await roundAfter(0);
	expect(outcomes).toEqual(['Error: disk full', 'succeeded', 'succeeded']);
});
