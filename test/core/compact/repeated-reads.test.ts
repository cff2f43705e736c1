import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const code = Array.from({ length: 400 }, (_, index) => `const tide${index} = readTide(${index});`).join('\n');

/** Returns the lines of the narrative with a call that read this file. */
function readsIn(calls: readonly ToolCall[], name: string): string[] {
	const text = summaryOf(
		[
			user(0, 'Why is the table of tides wrong?'),
			...calls.flatMap((made, index) => [
				assistant(1 + 2 * index, '', made),
				result(2 + 2 * index, made, code),
			]),
			assistant(1 + 2 * calls.length, 'The table is read twice.'),
		],
		700,
	);
	return text.split('\n').filter((line) => line.includes(name) && !line.startsWith('- '));
}

const formats: [tool: string, createArgs: (path: string, offset: number) => unknown][] = [
	['Read', (path, offset) => ({ file_path: path, offset, limit: 120 })],
	['exec_command', (path, offset) => ({ cmd: `sed -n '${offset},${offset + 119}p' ${path}` })],
	['read', (path, offset) => ({ path, offset, limit: 120 })],
];

describe.each(formats)('calls of %s that read a file again and again', (tool, createArgs) => {
	it('are shown by the last of them in a small summary', () => {
		const calls = [1, 121, 241, 361].map((offset) => call(tool, createArgs('src/tides.ts', offset)));
		expect(readsIn(calls, 'src/tides.ts')).toHaveLength(1);
		expect(readsIn(calls, 'src/tides.ts')[0]).toMatch(/^\[#7\]/);
	});

	it('are all shown if each reads another file', () => {
		const names = ['piers', 'berths', 'ferries'];
		const calls = names.map((name) => call(tool, createArgs(`src/${name}.ts`, 1)));
		for (const name of names) expect(readsIn(calls, `src/${name}.ts`).length).toBeGreaterThan(0);
	});
});
