import { expect, it } from 'vitest';
import { getDefaultStateFolder } from '../../server/node/stateFolder.ts';

it('the state folder is the one that the user names', () => {
	const env = { CONTEXTD_HOME: '/data/ctx', XDG_STATE_HOME: '/state' };
	expect(getDefaultStateFolder(env, 'linux', '/home/me')).toBe('/data/ctx');
	expect(getDefaultStateFolder({ ...env, CONTEXTD_HOME: '' }, 'linux', '/home/me')).toBe('/state/contextd');
	expect(getDefaultStateFolder({ CONTEXTD_HOME: 'D:\\ctx' }, 'win32', 'C:\\Users\\me')).toBe('D:\\ctx');
});

it('the default state folder depends on the platform', () => {
	expect(getDefaultStateFolder({}, 'linux', '/home/me')).toBe('/home/me/.local/state/contextd');
	expect(getDefaultStateFolder({ XDG_STATE_HOME: 'relative' }, 'linux', '/home/me')).toBe(
		'/home/me/.local/state/contextd',
	);
	expect(getDefaultStateFolder({}, 'darwin', '/Users/me')).toBe(
		'/Users/me/Library/Application Support/contextd',
	);
	expect(getDefaultStateFolder({ LOCALAPPDATA: 'E:\\Local' }, 'win32', 'C:\\Users\\me')).toBe(
		'E:\\Local\\contextd',
	);
	expect(getDefaultStateFolder({}, 'win32', 'C:\\Users\\me')).toBe('C:\\Users\\me\\AppData\\Local\\contextd');
});
