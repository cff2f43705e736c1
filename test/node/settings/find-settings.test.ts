import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findSettings, getUserSettingsPath } from '../../../server/node/settings/findSettings.ts';
import { freshFolder, removeFolders } from '../../support/app.ts';

let home = '';
let project = '';

beforeEach(() => {
	home = realpathSync(freshFolder());
	project = join(home, 'work', 'project');
	mkdirSync(join(project, 'src', 'deep'), { recursive: true });
});
afterEach(removeFolders);

function write(path: string, text: string, mode = 0o644): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	chmodSync(path, mode);
	return path;
}

function find(folder = project, environment: Record<string, string> = {}) {
	return findSettings({ environment, platform: process.platform, home }, folder);
}

describe('the place of a user’s settings file', () => {
	it.each([
		['linux', {}, '/h/.config/contextd/contextd.json'],
		['darwin', {}, '/h/.config/contextd/contextd.json'],
		['linux', { XDG_CONFIG_HOME: '/c' }, '/c/contextd/contextd.json'],
		['linux', { XDG_CONFIG_HOME: 'c' }, '/h/.config/contextd/contextd.json'],
		['win32', { APPDATA: 'C:\\a' }, 'C:\\a\\contextd\\contextd.json'],
		['win32', {}, '\\h\\AppData\\Roaming\\contextd\\contextd.json'],
	] as const)('getUserSettingsPath returns the file on %s with %j', (platform, environment, path) => {
		expect(getUserSettingsPath({ environment, platform, home: '/h' })).toBe(path);
	});
});

describe.skipIf(process.platform === 'win32')('settings files', () => {
	it('settings files are those of the user and of the nearest folder upward', async () => {
		const user = write(join(home, '.config/contextd/contextd.json'), '{ "logLevel": "debug" }');
		write(join(home, 'work/contextd.json'), '{}');
		const own = write(join(project, 'contextd.json'), '{ "tokenThreshold": 5 }');
		expect(await find(join(project, 'src', 'deep'))).toEqual([
			{ scope: 'user', path: user, value: { logLevel: 'debug' } },
			{ scope: 'project', path: own, value: { tokenThreshold: 5 } },
		]);
	});

	it('settings files are searched up to the home folder, and not above it', async () => {
		write(join(home, 'contextd.json'), '{}');
		expect(await find()).toMatchObject([{ scope: 'project', path: join(home, 'contextd.json') }]);
		home = join(home, 'work');
		expect(await find()).toEqual([]);
	});

	it('settings files are searched up to the root from a folder outside the home folder', async () => {
		write(join(project, 'contextd.json'), '{}');
		home = join(home, 'elsewhere');
		expect(await find(join(project, 'src'))).toMatchObject([{ scope: 'project' }]);
	});

	it('the user’s settings file does not count again in its own folder', async () => {
		const path = write(join(home, '.config/contextd/contextd.json'), '{}');
		expect(await find(dirname(path))).toMatchObject([{ scope: 'user', path }]);
	});

	it('a settings file may have comments, trailing commas, a byte order mark, or nothing', async () => {
		const path = join(project, 'contextd.json');
		write(path, '\uFEFF// why\n{ "models": {}, /* all */ }\n');
		expect(await find()).toMatchObject([{ value: { models: {} } }]);
		write(path, '  // later\n');
		expect(await find()).toEqual([{ scope: 'project', path, value: undefined }]);
	});

	it.each([
		['{\n\t"a": 1\n\t"b": 2\n}', ':3:2: ignored, because it is not JSON: comma expected'],
		['{ "a": tru }', ':1:8: ignored, because it is not JSON: invalid symbol'],
		['{ "a": 1', ':1:9: ignored, because it is not JSON: close brace expected'],
		['{} {}', ':1:4: ignored, because it is not JSON: end of file expected'],
		['['.repeat(50_000), ': ignored, because it is nested too deeply'],
		[`${'['.repeat(30)}${']'.repeat(30)}`, ': ignored, because it is nested too deeply'],
	])(
		'a settings file that is not JSON is ignored, with the line and column of the error: %.20s',
		async (text, problem) => {
			const path = write(join(project, 'contextd.json'), text);
			expect(await find()).toEqual([{ scope: 'project', path, problem: `${path}${problem}` }]);
		},
	);

	it.each([0o646, 0o666])('a settings file is refused if all users may write to it: %o', async (mode) => {
		const path = write(join(project, 'contextd.json'), '{}', mode);
		write(join(home, 'work/contextd.json'), '{}');
		const problem = `${path}: ignored, because it is writable for other users`;
		expect(await find()).toEqual([{ scope: 'project', path, problem }]);
	});

	it.runIf(process.getuid?.() === 0)(
		'a settings file may be writable for the group of its user, and no other',
		async () => {
			const path = write(join(project, 'contextd.json'), '{}', 0o664);
			chownSync(path, 0, 0);
			expect(await find()).toMatchObject([{ value: {} }]);
			chownSync(path, 0, 1);
			expect(await find()).toMatchObject([
				{ problem: `${path}: ignored, because it is writable for other users` },
			]);
		},
	);

	it('a settings file is refused if it is a folder, or too large', async () => {
		const path = join(project, 'contextd.json');
		mkdirSync(path);
		expect(await find()).toMatchObject([{ problem: `${path}: ignored, because it is not a file` }]);
		write(join(project, 'src', 'contextd.json'), ' '.repeat(64 * 1024 + 1));
		expect((await find(join(project, 'src')))[0]?.problem).toContain('is larger than 64 KB');
	});

	it.runIf(process.platform === 'linux').each(['/proc/self/mem', '/proc/self/pagemap'])(
		'a settings file that links to %s is ignored',
		async (target) => {
			const path = join(project, 'contextd.json');
			symlinkSync(target, path);
			const problem = expect.stringContaining(`${path}: ignored, because it cannot be read`);
			expect(await find()).toEqual([{ scope: 'project', path, problem }]);
		},
	);

	it('the search for a settings file ends at the home folder, however that is written', async () => {
		write(join(home, 'contextd.json'), '{}');
		home = `${join(home, 'work')}/`;
		expect(await find()).toEqual([]);
	});

	it('a settings file may be a symbolic link', async () => {
		symlinkSync(write(join(home, 'real.json'), '{}'), join(project, 'contextd.json'));
		expect(await find()).toMatchObject([{ path: join(project, 'contextd.json'), value: {} }]);
	});
});
