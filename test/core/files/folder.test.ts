import { expect, it } from 'vitest';
import { createLocationKey, toSlashedPath, toUri } from '../../../server/core/files/folder.ts';

const sameHome = [
	'/home/me/a b@c',
	'/home/me/a b@c/',
	'/home/me/./x/../a b@c',
	'file:///home/me/a%20b@c',
	'file:///home/me/a%20b%40c/',
	'file://localhost/home/me/a%20b@c',
];
const sameDrive = ['C:\\Users\\me', 'c:/Users/me/', 'file:///C:/Users/me', 'file:///c%3A/Users/me'];

it.each([sameHome, sameDrive])('all names of one location have the same key', (...names) => {
	expect(new Set(names.map(createLocationKey)).size).toBe(1);
});

it.each([
	['/home/me/a', '/home/me/ab'],
	['/', '/home'],
	['file://server/share', 'file:///share'],
	['vscode-remote://ssh/home/me', '/home/me'],
])('two locations have different keys: %s and %s', (a, b) => {
	expect(createLocationKey(a)).not.toBe(createLocationKey(b));
});

it('the key of a remote location is its name without a final slash', () => {
	expect(createLocationKey('vscode-remote://ssh/home/')).toBe(createLocationKey('vscode-remote://ssh/home'));
});

it.each([
	['/home/me/a b', 'file:///home/me/a%20b'],
	['/home/me/', 'file:///home/me'],
	['/', 'file:///'],
	['C:\\Users\\me', 'file:///C:/Users/me'],
	['file:///home/me/', 'file:///home/me/'],
	['vscode-remote://ssh/home', 'vscode-remote://ssh/home'],
	['relative/path', 'relative/path'],
])('the folder %s becomes the URI %s', (named, uri) => {
	expect(toUri(named)).toBe(uri);
});

it('a Windows path is accepted as a folder', () => {
	expect(toSlashedPath('C:\\Users\\me')).toBe('C:/Users/me');
	expect(toSlashedPath('file:///c%3A/Users/me')).toBe('c:/Users/me');
});
