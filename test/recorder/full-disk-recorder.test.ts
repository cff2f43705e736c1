/** Recording on a full disk: a small one in memory, which only root may mount. */

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RecordedSession, RecorderStatus } from '../../server/protocol/recorder.ts';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { freshFolder } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { needs } from '../support/needs.ts';
import { createTestRecorder } from '../support/recorder.ts';

/** Mounts a disk of 10 MB; returns whether that is possible. */
function isMounted(folder: string): boolean {
	if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
	return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=10m', 'tmpfs', folder]).status === 0;
}

const canMount = (() => {
	const folder = freshFolder();
	const isPossible = isMounted(folder);
	if (isPossible) execFileSync('umount', [folder]);
	rmSync(folder, { recursive: true });
	return isPossible;
})();

let home: string;
let disk: string;
let recorder: ReturnType<typeof createTestRecorder>;

beforeEach(() => {
	[home, disk] = [freshFolder(), freshFolder()];
	if (canMount) isMounted(disk);
	recorder = createTestRecorder(join(disk, 'recorder'), home);
});

afterEach(async () => {
	await recorder.stop();
	if (canMount) execFileSync('umount', ['--lazy', disk]);
	rmSync(home, { recursive: true });
});

/** Writes a transcript of about 1.3 MB that no compression makes smaller. */
function writeTranscript(index: number): void {
	const sessionId = `0b1c2d3e-0000-4000-8000-00000000000${index}`;
	const lines = Array.from({ length: 10 }, (_, line) =>
		JSON.stringify({
			type: 'user',
			uuid: `u${index}-${line}`,
			parentUuid: null,
			sessionId,
			cwd: '/tmp/x',
			timestamp: new Date(1_764_000_000_000 + index * 1e6 + line * 1000).toISOString(),
			message: { role: 'user', content: randomBytes(100_000).toString('base64') },
		}),
	);
	const folder = join(home, '.claude', 'projects', '-tmp-x');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, `${sessionId}.jsonl`), `${lines.join('\n')}\n`);
}

it.skipIf(!canMount)(
	'a full disk costs the oldest unpinned sessions, and damages nothing',
	needs('root, to mount a small disk'),
	async () => {
		const sessions = (): Promise<RecordedSession[]> => recorder.ask('sessions', {});
		writeTranscript(0);
		await recorder.ask('set', { recording: true });
		await eventually(async () => expect(await sessions()).toMatchObject([{ entries: 10 }]));
		const [pinned] = await sessions();
		await recorder.ask('pin', { recordingId: pinned?.recordingId, pinned: true });
		for (let index = 1; index < 9; index++) writeTranscript(index);
		await eventually(async () => {
			const all = await sessions();
			expect(all.find(({ path }) => path.includes('000000000008'))).toMatchObject({ entries: 10 });
		});
		await eventually(async () => {
			expect((await recorder.ask<RecorderStatus>('status', {})).problem).toBeUndefined();
		});
		await recorder.stop();
		const archive = new Archive(join(disk, 'recorder', 'archive.sqlite'));
		const kept = archive.listRecordings();
		expect(kept.map(({ recordingId }) => recordingId)).toContain(pinned?.recordingId);
		expect(kept.length).toBeLessThan(9);
		for (const { recordingId, entries } of kept) {
			expect([...archive.readEntries(recordingId)]).toHaveLength(entries);
		}
		archive.close();
		recorder = createTestRecorder(join(disk, 'recorder'), home);
	},
);
