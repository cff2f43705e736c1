import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { detectAgent } from '../../server/core/transcript/agents.ts';
import { computeTranscriptEnd } from '../../server/core/transcript/transcriptEnd.ts';
import { readEnds } from '../../server/node/transcript/ends.ts';
import { readStats } from '../../server/session/stats.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';
import { needsCorpus, needsPosix } from '../support/needs.ts';
import { importerOver, sessionOf } from '../support/transcripts.ts';
import { testClient, testWorld } from '../support/world.ts';

let path: string;

beforeEach(() => {
	path = join(freshFolder(), 'transcript.jsonl');
});

afterEach(removeFolders);

function tokensOf(file: string): number | undefined {
	const ends = readEnds(file, detectAgent);
	return ends && computeTranscriptEnd(ends.end, ends.start).tokens;
}

describe('a transcript that is read from its end', () => {
	it('readEnds yields the same token count as an import of the whole transcript', async () => {
		await writeLongTranscript(path, 3_000_000);
		const ends = readEnds(path, detectAgent);
		expect(ends?.agent.name).toBe('claude-code');
		expect(ends?.end.entries.length).toBeLessThan(60);
		const { store } = testWorld();
		const { sessionId } = await importerOver(store).importTranscript({ path });
		const stats = await readStats(await sessionOf(store, sessionId), testClient);
		const got = tokensOf(path) ?? 0;
		expect(got / (stats?.estimatedInputTokens ?? 0)).toBeCloseTo(1, 1);
	});

	it('readEnds reads backwards to the newest usage figure', async () => {
		await writeLongTranscript(path, 400_000);
		const before = tokensOf(path) ?? 0;
		const result = [{ type: 'tool_result', tool_use_id: 'c', content: 'x '.repeat(200_000) }];
		const line = { sessionId: 's', uuid: 'z', type: 'user', message: { role: 'user', content: result } };
		appendFileSync(path, `${JSON.stringify(line)}\n`);
		expect(tokensOf(path)).toBeGreaterThan(before + 100_000);
	});

	it('readEnds ignores a half-written last line', async () => {
		await writeLongTranscript(path, 400_000);
		const before = tokensOf(path);
		appendFileSync(path, '{"type":"user","uuid":"half","message":{"role":"user","content":"half a');
		expect(tokensOf(path)).toBe(before);
	});

	it.each(['', '\n', 'no transcript', '{"a":1}\n'.repeat(50_000)])(
		'readEnds returns undefined for a file of no known agent',
		(text) => {
			writeFileSync(path, text);
			expect(readEnds(path, detectAgent)).toBeUndefined();
		},
	);

	it.skipIf(process.platform === 'win32')(
		'readEnds returns undefined for a pipe, without waiting for its other end',
		needsPosix,
		() => {
			execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
			expect(readEnds(path, detectAgent)).toBeUndefined();
		},
	);

	it('readEnds fails for a missing file and names its path', () => {
		expect(() => readEnds(path, detectAgent)).toThrow(
			expect.objectContaining({ kind: 'FileUnreadable', message: expect.stringContaining(path) }),
		);
	});
});

const originals = join(resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus'), 'originals');
const isThere = existsSync(originals);
const files = isThere ? readdirSync(originals).filter((name) => name.endsWith('.jsonl')) : [];

describe.skipIf(!isThere)('the ends of real transcripts', needsCorpus, () => {
	it.each(files)('readEnds of %s agrees with the meter on the whole transcript', async (file) => {
		const whole = join(originals, file);
		const { store } = testWorld();
		const { sessionId } = await importerOver(store).importTranscript({ path: whole });
		const stats = await readStats(await sessionOf(store, sessionId), testClient);
		const wanted = stats?.estimatedInputTokens ?? 0;
		const isReported = stats?.source !== 'estimated';
		const got = tokensOf(whole) ?? 0;
		// Without a reported figure, `readEnds` estimates from a part of the transcript.
		if (isReported) expect(Math.abs(got - wanted) / wanted).toBeLessThan(0.02);
		else expect(got).toBeGreaterThan(0);
	});
});
