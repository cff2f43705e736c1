import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RecallResult } from '../../server/protocol/history.ts';
import type { ReadRecordingResult, RecordedSession, RecorderStatus } from '../../server/protocol/recorder.ts';
import { eventually } from '../support/eventually.ts';
import { createTestRecorder } from '../support/recorder.ts';
import { removeFolder } from '../support/removeFolder.ts';

/** Enough lines that the recorder pauses for other tasks while it reads the transcript. */
const lines = 16;
const lineBytes = 1 << 20;

let root: string;
let recorder: ReturnType<typeof createTestRecorder>;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'contextd-during-import-'));
	const folder = join(root, 'home', '.claude', 'projects', '-home-me-a');
	mkdirSync(folder, { recursive: true });
	const lineOf = (no: number): string => {
		const message = { role: 'user', content: `lighthouse${no}x ${'A'.repeat(no === 0 ? 0 : lineBytes)}` };
		const base = { sessionId: 's', cwd: '/home/me/a', timestamp: '2026-01-01T00:00:00.000Z', type: 'user' };
		return `${JSON.stringify({ ...base, uuid: `m${no}`, message })}\n`;
	};
	writeFileSync(join(folder, 's.jsonl'), Array.from({ length: lines }, (_, no) => lineOf(no)).join(''));
	recorder = createTestRecorder(join(root, 'recorder'), join(root, 'home'));
});
afterEach(async () => {
	await recorder.stop();
	await removeFolder(root);
});

function recall(no: number): Promise<RecallResult> {
	return recorder.ask('recall', { query: `lighthouse${no}x` });
}

it('answers from what is indexed while a transcript is still being recorded', async () => {
	await recorder.ask('set', { recording: true });
	await eventually(async () => expect((await recall(0)).matches).toHaveLength(1));
	expect(await recall(lines - 1)).toMatchObject({ matches: [], pending: 1 });
	const status = await recorder.ask<RecorderStatus>('status', {});
	expect(status.recordings).toBe(1);
	const read = await recorder.ask<ReadRecordingResult>('read', { recording: 's' });
	expect(read.recording.entries).toBeLessThan(lines);
	await eventually(async () => {
		const { matches, pending = 0 } = await recall(lines - 1);
		expect([matches.length, pending]).toEqual([1, 0]);
	});
});

it('forgets a session while it is still being recorded', async () => {
	await recorder.ask('set', { recording: true });
	await eventually(async () => expect((await recall(0)).matches).toHaveLength(1));
	await recorder.ask('forget', { recordingId: 's' });
	await recorder.service.whenCaughtUp();
	expect((await recall(0)).matches).toEqual([]);
	expect(await recorder.ask<RecordedSession[]>('sessions', {})).toEqual([]);
});
