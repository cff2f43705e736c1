import { describe, expect, it } from 'vitest';
import { createCostRows, splitPath } from '../../client-vscode/src/view/costRows.ts';
import type { CommandSource, FileSource } from '../../server/protocol/sources.ts';

function file(change: Partial<FileSource> = {}): FileSource {
	return {
		uri: 'file:///w/src/timeZone.ts',
		reads: 12,
		tokens: 23_000,
		freeableTokens: 21_000,
		messageIds: ['r1', 'r2'],
		...change,
	};
}

const command: CommandSource = {
	command: 'npm test',
	toolName: 'Bash',
	runs: 8,
	tokens: 12_000,
	freeableTokens: 0,
	messageIds: ['c1', 'c2'],
};

const context = { folders: ['file:///w'], staleReads: [] };

describe('rows of files and commands', () => {
	it('a row of a file says how much of it is outdated or repeated, and what frees it', () => {
		expect(createCostRows({ files: [file()], commands: [] }, context).files).toEqual([
			{
				key: 'file file:///w/src/timeZone.ts',
				name: 'timeZone.ts',
				location: 'src',
				facts: '12 reads · 21k of it outdated or repeated',
				tokens: 23_000,
				freeableTokens: 21_000,
				freeSelection: { uris: ['file:///w/src/timeZone.ts'] },
				isStale: false,
				messageId: 'r2',
				pinTarget: { uris: ['file:///w/src/timeZone.ts'] },
				isPinned: false,
			},
		]);
	});

	it('a row of a command has its tool and the number of runs', () => {
		expect(createCostRows({ files: [], commands: [command] }, context).commands).toMatchObject([
			{
				name: 'npm test',
				location: 'Bash',
				facts: '8 runs',
				messageId: 'c2',
				freeSelection: { commands: ['npm test'] },
			},
		]);
	});

	it('a row shows whether its newest result is pinned, and whether the file changed since', () => {
		const staleReads = [{ uri: 'file:///w/src/timeZone.ts', messageId: 'r2' }];
		const given = { files: [file({ reads: 1, isPinned: true })], commands: [command] };
		const { files, commands } = createCostRows(given, { ...context, staleReads });
		expect(files).toMatchObject([{ isStale: true, isPinned: true }]);
		expect(files[0]?.facts).toMatch(/^1 read ·/);
		expect(commands).toMatchObject([{ isStale: false, isPinned: false }]);
	});

	it.each([
		['a file in the folder itself', 'file:///w/a.ts', ['file:///w'], 'a.ts', ''],
		['a folder with a slash at its end', 'file:///w/s/a.ts', ['file:///w/'], 'a.ts', 's'],
		['a file outside the folder', 'file:///west/a.ts', ['file:///w'], 'a.ts', '/west'],
		['a name with a space', 'file:///w/my%20docs/a%25.md', ['file:///w'], 'a%.md', 'my docs'],
		['a path without a workspace', 'src/a.ts', [], 'a.ts', 'src'],
		['a file in one of several folders', 'file:///v/s/a.ts', ['file:///w', 'file:///v'], 'a.ts', 'v/s'],
		['a drive letter in the other case', 'file:///c:/w/s/a.ts', ['file:///C%3A/w'], 'a.ts', 's'],
		['an address that is no valid encoding', 'file:///w/100%.md', ['file:///v'], '100%.md', 'file:///w'],
	])('splitPath separates name and folder: %s', (_, uri, folders, name, folder) => {
		expect(splitPath(uri, folders)).toEqual({ name, folder });
	});
});
