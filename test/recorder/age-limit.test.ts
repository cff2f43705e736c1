import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { enforceBudget } from '../../server/recorder/spaceKeeper.ts';
import { freshFolder, removeFolders } from '../support/app.ts';

const dayMs = 24 * 60 * 60 * 1000;
const limits = { maxBytes: Number.MAX_SAFE_INTEGER, maxDays: 30 };
const now = Date.UTC(2026, 5, 1);

let archive: Archive;

beforeEach(() => {
	archive = new Archive(join(freshFolder(), 'archive.sqlite'));
	for (const days of [100, 20, 0]) {
		const info = { agent: 'codex', label: 'Codex', path: `/x/${days}.jsonl` };
		const { recordingId } = archive.create(info);
		archive.append(recordingId, { entries: [{ at: now - days * dayMs, text: `{"days":${days}}` }] });
	}
});

afterEach(async () => {
	archive.close();
	await removeFolders();
});

/** Enforces the limits on some days after `now`, in this order; returns the paths of the removed recordings. */
function removedOn(...days: number[]): string[] {
	return days.flatMap((day) => enforceBudget(archive, limits, now + day * dayMs)).map(({ path }) => path);
}

it('removes a recording once it has been too old for a week', () => {
	expect(removedOn(0, 3, 6)).toEqual([]);
	expect(removedOn(7)).toEqual(['/x/100.jsonl']);
});

it('removes nothing early while the clock is wrong by years for some days', () => {
	expect(removedOn(3650, 3651, 3656, 1, 2)).toEqual([]);
	expect(removedOn(-9000, -8993, 3, 4)).toEqual([]);
	// The week begins when the clock is right again.
	expect(removedOn(9, 10)).toEqual(['/x/100.jsonl']);
});

it('keeps the newest recording and pinned ones however old they are', () => {
	archive.pin(archive.findByPath('/x/100.jsonl')?.recordingId ?? '', true);
	expect(removedOn(3650, 3660)).toEqual(['/x/20.jsonl']);
});

it('pins what a pinned session writes later', () => {
	const info = { agent: 'codex', label: 'Codex', path: '/x/session.jsonl' };
	const { recordingId } = archive.create({ ...info, sessionId: 's1' });
	const startSubAgent = () => archive.create({ ...info, path: '/x/sub.jsonl', parent: 's1' }).pinned;
	expect(startSubAgent()).toBe(false);
	archive.pin(recordingId, true);
	expect(startSubAgent()).toBe(true);
});
