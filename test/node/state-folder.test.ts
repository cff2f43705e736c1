import { expect, it } from 'vitest';
import { defaultStateFolder } from '../../server/node/stateFolder.ts';

it('the state folder is the one that the user names', () => {
	const env = { CONTEXTD_HOME: '/data/ctx', XDG_STATE_HOME: '/state' };
	expect(defaultStateFolder(env, 'linux', '/home/me')).toBe('/data/ctx');
	expect(defaultStateFolder({ ...env, CONTEXTD_HOME: '' }, 'linux', '/home/me')).toBe('/state/contextd');
	expect(defaultStateFolder({ CONTEXTD_HOME: 'D:\\ctx' }, 'win32', 'C:\\Users\\me')).toBe('D:\\ctx');
});

it('the default state folder depends on the platform', () => {
	expect(defaultStateFolder({}, 'linux', '/home/me')).toBe('/home/me/.local/state/contextd');
	expect(defaultStateFolder({ XDG_STATE_HOME: 'relative' }, 'linux', '/home/me')).toBe(
		'/home/me/.local/state/contextd',
	);
	expect(defaultStateFolder({}, 'darwin', '/Users/me')).toBe(
		'/Users/me/Library/Application Support/contextd',
	);
	expect(defaultStateFolder({ LOCALAPPDATA: 'E:\\Local' }, 'win32', 'C:\\Users\\me')).toBe(
		'E:\\Local\\contextd',
	);
	expect(defaultStateFolder({}, 'win32', 'C:\\Users\\me')).toBe('C:\\Users\\me\\AppData\\Local\\contextd');
});
