import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { call } from './facts-sources.ts';
import { summaryOfCall } from './summaries.ts';

const matches = [
	'src/pier.ts:4:const tideLimitMeters = 4.25;',
	'src/quay.ts:19:if (depth < tideLimitMeters) close();',
	'src/ferry.ts:7:import { tideLimitMeters } from "./pier.ts";',
];

const show = (search: ToolCall, output: string): string =>
	summaryOfCall('Where is the tideLimitMeters used?', search, output, 'The tideLimitMeters closes the quay.');

describe('the label of a line that a search found', () => {
	it.each<[string, ToolCall]>([
		['Claude Code', call('Grep', { pattern: 'tideLimit', path: 'src' })],
		['Codex', call('exec_command', { cmd: 'cd /srv/ferry && rg -n tideLimit src' })],
		['OpenCode', call('grep', { pattern: 'tideLimit', include: '*.ts' })],
		['Gemini', call('run_shell_command', { command: 'grep -rn tideLimit src' })],
	])('states the number of all lines: %s', (_, search) => {
		expect(show(search, matches.join('\n'))).toMatch(/\[#2 [^\]]*, 3 lines\] src\//);
	});

	it('does not count the lines that a tool writes around them', () => {
		const search = call('exec_command', { cmd: 'rg -n tideLimit src' });
		const output = `Chunk ID: 4\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n${matches.join('\n')}\n`;
		expect(show(search, output)).toContain(', 3 lines] src/');
	});

	it.each<[string, ToolCall, string]>([
		['psql', call('exec_command', { cmd: 'psql -c "select * from boats"' }), '(4 rows)\n\n'],
		['mysql', call('Bash', { command: 'mysql -t -e "select * from boats"' }), '4 rows in set (0.01 sec)'],
	])('states the number of rows that a query found: %s', (_, query, footer) => {
		const rows = ['tideLimitMeters | 4.25', 'tideLimitFeet | 14', 'tideDepth | 9', 'tideHeight | 3'];
		const table = `name | value\n-----+------\n${rows.join('\n')}\n${footer}`;
		expect(show(query, table)).toMatch(/\[#2 [^\]]*, 4 rows\] /);
	});

	it('states no number for one or two lines, and for other results', () => {
		const search = call('Grep', { pattern: 'tideLimit' });
		expect(show(search, matches.slice(0, 2).join('\n'))).not.toContain('lines]');
		const read = call('Bash', { command: 'node list.mjs | grep tideLimit' });
		expect(show(read, matches.join('\n'))).not.toContain('lines]');
	});
});
