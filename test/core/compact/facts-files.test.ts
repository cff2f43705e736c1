import { describe, expect, it } from 'vitest';
import { assistant, call, filesOf } from './facts-sources.ts';

describe('files that messages touched', () => {
	it('files are read or changed, whatever the name of the path argument', () => {
		const { read, changed } = filesOf([
			assistant(1, '', call('Read', { file_path: 'a.ts' })),
			assistant(2, '', call('edit', { filePath: 'a.ts', oldString: 'x', newString: 'y' })),
			assistant(3, '', call('read', { path: 'b.ts' })),
			assistant(4, '', call('Read', { file_path: './c.ts', offset: 10, limit: 5 })),
		]);
		expect(read.map((file) => file.path)).toEqual(['b.ts', 'c.ts']);
		expect(read[1]!.ranges).toEqual([{ from: 10, to: 14 }]);
		expect(changed.map((file) => file.path)).toEqual(['a.ts']);
	});

	it('adjacent line ranges of several reads of a file are merged', () => {
		const read = (offset: number, limit: number) => call('Read', { file_path: 'a.ts', offset, limit });
		const touched = filesOf([assistant(1, '', read(30, 10)), assistant(2, '', read(1, 10), read(11, 5))]);
		expect(touched.read[0]!.ranges).toEqual([
			{ from: 1, to: 15 },
			{ from: 30, to: 39 },
		]);
	});
});
