import { expect, it } from 'vitest';
import { asUri, folderOf, placeKey } from '../../../server/core/files/folder.ts';

const sameHome = [
	'/home/me/a b@c',
	'/home/me/a b@c/',
	'/home/me/./x/../a b@c',
	'file:///home/me/a%20b@c',
	'file:///home/me/a%20b%40c/',
	'file://localhost/home/me/a%20b@c',
];
const sameDrive = ['C:\\Users\\me', 'c:/Users/me/', 'file:///C:/Users/me', 'file:///c%3A/Users/me'];

it.each([sameHome, sameDrive])('all names of one place name one place', (...names) => {
	expect(new Set(names.map(placeKey)).size).toBe(1);
});

it.each([
	['/home/me/a', '/home/me/ab'],
	['/', '/home'],
	['file://server/share', 'file:///share'],
	['vscode-remote://ssh/home/me', '/home/me'],
])('names of two places do not: %s and %s', (a, b) => {
	expect(placeKey(a)).not.toBe(placeKey(b));
});

it('a place that is no folder here is known by its name, with a slash at the end or without', () => {
	expect(placeKey('vscode-remote://ssh/home/')).toBe(placeKey('vscode-remote://ssh/home'));
});

it.each([
	['/home/me/a b', 'file:///home/me/a%20b'],
	['/home/me/', 'file:///home/me'],
	['/', 'file:///'],
	['C:\\Users\\me', 'file:///C:/Users/me'],
	['file:///home/me/', 'file:///home/me/'],
	['vscode-remote://ssh/home', 'vscode-remote://ssh/home'],
	['relative/path', 'relative/path'],
])('%s is the URI %s', (named, uri) => {
	expect(asUri(named)).toBe(uri);
});

it('a path of Windows is a folder too', () => {
	expect(folderOf('C:\\Users\\me')).toBe('C:/Users/me');
	expect(folderOf('file:///c%3A/Users/me')).toBe('c:/Users/me');
});
