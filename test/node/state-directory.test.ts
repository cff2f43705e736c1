import { expect, it } from 'vitest';
import { stateDirectory } from '../../server/node/stateDirectory.ts';

it('stateDirectory is the one that the user names', () => {
	const env = { CONTEXTD_HOME: '/data/ctx', XDG_STATE_HOME: '/state' };
	expect(stateDirectory(env, 'linux', '/home/me')).toBe('/data/ctx');
	expect(stateDirectory({ ...env, CONTEXTD_HOME: '' }, 'linux', '/home/me')).toBe('/state/contextd');
	expect(stateDirectory({ CONTEXTD_HOME: 'D:\\ctx' }, 'win32', 'C:\\Users\\me')).toBe('D:\\ctx');
});

it('stateDirectory depends on the platform by default', () => {
	expect(stateDirectory({}, 'linux', '/home/me')).toBe('/home/me/.local/state/contextd');
	expect(stateDirectory({ XDG_STATE_HOME: 'relative' }, 'linux', '/home/me')).toBe(
		'/home/me/.local/state/contextd',
	);
	expect(stateDirectory({}, 'darwin', '/Users/me')).toBe('/Users/me/Library/Application Support/contextd');
	expect(stateDirectory({ LOCALAPPDATA: 'E:\\Local' }, 'win32', 'C:\\Users\\me')).toBe('E:\\Local\\contextd');
	expect(stateDirectory({}, 'win32', 'C:\\Users\\me')).toBe('C:\\Users\\me\\AppData\\Local\\contextd');
});
