import { expect, it } from 'vitest';
import { uriToPath } from '../../../server/node/files/fileUri.ts';

it('uriToPath decodes percent codes', () => {
	expect(uriToPath('file:///home/a%20b/%C3%A4.ts', false)).toBe('/home/a b/ä.ts');
});

it('uriToPath decodes the drive of a Windows URI, with an encoded or plain colon', () => {
	expect(uriToPath('file:///c%3A/Users/a%20b/x.ts', true)).toBe('c:\\Users\\a b\\x.ts');
	expect(uriToPath('file:///C:/x.ts', true)).toBe('C:\\x.ts');
	expect(uriToPath('file://server/share/x.ts', true)).toBe('\\\\server\\share\\x.ts');
});

it('uriToPath returns a path unchanged', () => {
	expect(uriToPath('/a b/c', false)).toBe('/a b/c');
	expect(uriToPath('c:\\a', true)).toBe('c:\\a');
	expect(uriToPath('src/a:b.ts', false)).toBe('src/a:b.ts');
});

it('uriToPath refuses texts that name no local file', () => {
	expect(() => uriToPath('https://example.org/a', false)).toThrow('got the scheme "https"');
	expect(() => uriToPath('file:///a%2Fb', false)).toThrow('Not a usable file URI');
	expect(() => uriToPath('file://host/a', false)).toThrow('Not a usable file URI');
	expect(() => uriToPath('a\0b', false)).toThrow('NUL');
	expect(() => uriToPath('', false)).toThrow('empty');
});
