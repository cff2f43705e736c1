import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { SpaceKeeper } from '../../server/recorder/spaceKeeper.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { silentLogger } from '../support/logger.ts';

/** Error code with which the system refuses writes; undefined if writes succeed. */
let refusal: string | undefined;

vi.mock('node:fs', async (original) => {
	const real = await original<typeof fs>();
	const writeSync = (...given: Parameters<typeof real.writeSync>): number => {
		if (refusal !== undefined) throw Object.assign(new Error(refusal), { code: refusal });
		return real.writeSync(...given);
	};
	return { ...real, writeSync };
});

afterEach(async () => {
	refusal = undefined;
	await removeFolders();
});

it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])(
	'a write that fails with %s is reported once and costs the oldest session that is not pinned',
	(code) => {
		const folder = freshFolder();
		const archive = new Archive(join(folder, 'archive.sqlite'));
		const ids = [1, 2, 3].map((at) => {
			const { recordingId } = archive.create({ agent: 'codex', label: 'Codex', path: `/x/${at}.jsonl` });
			archive.append(recordingId, { entries: [{ at, text: `{"at":${at}}` }] });
			return recordingId;
		});
		archive.pin(ids[0] ?? '', true);
		const errors: string[] = [];
		const space = new SpaceKeeper(archive, folder, {
			...silentLogger,
			error: (text) => errors.push(text),
		});

		refusal = code;
		space.handleFailure(new Error('disk I/O error'));
		space.handleFailure(new Error('disk I/O error'));
		expect(errors).toEqual(['sessions are not recorded: the disk or quota is full']);
		expect(space.problem).toBe('the disk or quota is full');
		expect(archive.listRecordings().map(({ recordingId }) => recordingId)).toEqual([ids[2], ids[0]]);
		expect(fs.readdirSync(folder)).not.toContain('reserve');

		refusal = undefined;
		space.handleRecovery();
		expect(space.problem).toBeUndefined();
		expect(fs.statSync(join(folder, 'reserve')).size).toBe(4 << 20);
		archive.close();
	},
);
