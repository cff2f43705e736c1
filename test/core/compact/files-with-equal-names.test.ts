import { describe, expect, it } from 'vitest';
import { createFileNaming } from '../../../server/core/analysis/passages/labels.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const readers: [agent: string, read: (path: string) => ToolCall][] = [
	['Claude Code', (path) => call('Read', { file_path: path })],
	['Gemini CLI', (path) => call('read_file', { absolute_path: path })],
	['Codex', (path) => call('exec_command', { cmd: `cat ${path}` })],
	['pi', (path) => call('read', { path })],
];

const linesOf = (file: number): string =>
	['mole', 'quay', 'pier', 'jetty', 'dock', 'slip']
		.map((place, index) => `export const ${place}Berth${file} = findBerth("${place}-${file}${index}7");`)
		.join('\n');

describe.each(readers)('labels of files that %s read', (_, read) => {
	const labelsAfter = (...paths: string[]): string =>
		summaryOf(
			[
				user(0, 'Compare the berths.'),
				...paths.flatMap((path, index) => {
					const made = read(path);
					return [assistant(2 * index + 1, '', made), result(2 * index + 2, made, linesOf(index))];
				}),
				assistant(2 * paths.length + 1, 'Compared.'),
			],
			2000,
		);

	it('have the folders of files with equal names', () => {
		const text = labelsAfter('/w/ferry/north/index.ts', '/w/ferry/south/index.ts', '/w/ferry/tides.ts');
		expect(text).toMatch(/\[#2 \S+ north\/index\.ts\]/);
		expect(text).toMatch(/\[#4 \S+ south\/index\.ts\]/);
		expect(text).toMatch(/\[#6 \S+ tides\.ts\]/);
	});

	it('have the folder that tells files with equal names and folders apart', () => {
		const text = labelsAfter('/w/ferry/north/src/index.ts', '/w/ferry/south/src/index.ts');
		expect(text).toMatch(/\[#2 \S+ north\/…\/index\.ts\]/);
		expect(text).toMatch(/\[#4 \S+ south\/…\/index\.ts\]/);
	});

	it('have no folder if two paths may name the same file', () => {
		expect(labelsAfter('/w/ferry/north/index.ts', 'north/index.ts')).toMatch(/\[#\d \S+ index\.ts\]/);
	});
});

it('thousands of files with equal names are named quickly', () => {
	const paths = Array.from({ length: 20_000 }, (_, index) => `/w/d${index}/index.ts`);
	const nameFile = createFileNaming(paths);
	expect(nameFile('/w/d7/index.ts')).toBe('d7/index.ts');
});
