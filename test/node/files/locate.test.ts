import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveRealPath } from '../../../server/node/files/locate.ts';

describe('locate', () => {
	let base: string;
	let workspace: string;

	beforeEach(async () => {
		base = await realpath(await mkdtemp(join(tmpdir(), 'contextd-locate-')));
		workspace = join(base, 'work');
		await mkdir(join(workspace, 'src'), { recursive: true });
		await mkdir(join(base, 'other'));
		await writeFile(join(workspace, 'src/a.ts'), 'a');
		await writeFile(join(base, 'other/b.ts'), 'b');
	});
	afterEach(() => rm(base, { recursive: true }));

	const place = (path: string) => resolveRealPath(path, [workspace]);

	it('locate returns the path of a file, also before the file or its folders exist', async () => {
		expect(await place(join(workspace, 'src/a.ts'))).toBe(join(workspace, 'src/a.ts'));
		expect(await place('src/a.ts')).toBe(join(workspace, 'src/a.ts'));
		expect(await place(join(workspace, 'src/later.ts'))).toBe(join(workspace, 'src/later.ts'));
		expect(await place(join(workspace, 'not/yet/there.ts'))).toBe(join(workspace, 'not/yet/there.ts'));
	});

	it('locate resolves links to files and folders', async () => {
		await symlink(join(workspace, 'src/a.ts'), join(workspace, 'link.ts'));
		await symlink(join(workspace, 'src'), join(base, 'other/into'));
		expect(await place(join(workspace, 'link.ts'))).toBe(join(workspace, 'src/a.ts'));
		expect(await place(join(base, 'other/into/a.ts'))).toBe(join(workspace, 'src/a.ts'));
		await symlink(workspace, join(base, 'alias'));
		expect(await resolveRealPath(join(workspace, 'src/a.ts'), [join(base, 'alias')])).toBe(
			join(workspace, 'src/a.ts'),
		);
	});

	it('locate refuses files outside the workspace, and links that lead out of it', async () => {
		await symlink(join(base, 'other/b.ts'), join(workspace, 'out.ts'));
		await symlink(join(base, 'other'), join(workspace, 'away'));
		for (const path of [join(base, 'other/b.ts'), join(workspace, 'out.ts'), join(workspace, 'away/b.ts')]) {
			await expect(place(path)).rejects.toMatchObject({ kind: 'OutsideWorkspace' });
		}
	});

	it('locate fails on a circular link with FileUnreadable', async () => {
		await symlink(join(workspace, 'round.ts'), join(workspace, 'round.ts'));
		await expect(place(join(workspace, 'round.ts'))).rejects.toMatchObject({ kind: 'FileUnreadable' });
	});
});
