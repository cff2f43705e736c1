import { expect, it } from 'vitest';
import { pathOfUri } from '../../../server/node/files/fileUri.ts';

it('pathOfUri decodes percent codes', () => {
	expect(pathOfUri('file:///home/a%20b/%C3%A4.ts', false)).toBe('/home/a b/ä.ts');
});

it('pathOfUri decodes the drive of a Windows URI, with an encoded or plain colon', () => {
	expect(pathOfUri('file:///c%3A/Users/a%20b/x.ts', true)).toBe('c:\\Users\\a b\\x.ts');
	expect(pathOfUri('file:///C:/x.ts', true)).toBe('C:\\x.ts');
	expect(pathOfUri('file://server/share/x.ts', true)).toBe('\\\\server\\share\\x.ts');
});

it('pathOfUri returns a path unchanged', () => {
	expect(pathOfUri('/a b/c', false)).toBe('/a b/c');
	expect(pathOfUri('c:\\a', true)).toBe('c:\\a');
	expect(pathOfUri('src/a:b.ts', false)).toBe('src/a:b.ts');
});

it('pathOfUri refuses texts that name no local file', () => {
	expect(() => pathOfUri('https://example.org/a', false)).toThrow('got the scheme "https"');
	expect(() => pathOfUri('file:///a%2Fb', false)).toThrow('Not a usable file URI');
	expect(() => pathOfUri('file://host/a', false)).toThrow('Not a usable file URI');
	expect(() => pathOfUri('a\0b', false)).toThrow('NUL');
	expect(() => pathOfUri('', false)).toThrow('empty');
});
