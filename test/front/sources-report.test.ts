import { describe, expect, it } from 'vitest';
import { formatLines } from '../../server/front/output/line.ts';
import { renderSources, type SourcesReport } from '../../server/front/output/sourcesView.ts';
import { measureWidth } from '../../server/front/output/width.ts';
import { type Run, runCommand, sent } from './runCommand.ts';
import { compactionWith, statsWith } from './values.ts';

const zone = { reads: 12, tokens: 23_400, freeableTokens: 21_030, messageIds: [] };
const hosts = { reads: 1, tokens: 300, freeableTokens: 0, messageIds: [] };

const sources: SourcesReport = {
	files: [
		{ uri: 'file:///ws/src/timeZone.ts', ...zone },
		{ uri: 'file:///etc/hosts', ...hosts },
		{ uri: 'file:///ws/lib/hosts', ...hosts },
	],
	commands: [
		{ command: 'npm test', toolName: 'Bash', runs: 3, tokens: 900, freeableTokens: 600, messageIds: [] },
	],
	workspace: 'file:///ws',
	usedTokens: 50_000,
};

function shown(columns: number): string[] {
	return formatLines(renderSources(sources, columns), 'plain').split('\n');
}

describe('files by cost', () => {
	it('shows relative paths with reads, tokens and what is outdated', () => {
		expect(shown(80)).toEqual([
			'',
			'Files by cost',
			'23,400   47%  src/timeZone.ts  12 reads  21,030 outdated or repeated',
			'   300    1%  /etc/hosts         1 read',
			'   300    1%  lib/hosts          1 read',
			'',
			'Repeated commands by cost',
			'   900    2%  npm test           3 runs  600 outdated or repeated',
			'',
		]);
	});

	it('puts the details on a second line in 40 columns', () => {
		expect(shown(40).slice(2, 4)).toEqual([
			'23,400   47%  src/timeZone.ts',
			'  12 reads · 21,030 outdated or repeated',
		]);
	});

	it.each([20, 40, 75, 76, 200])('fits %i columns', (columns) => {
		for (const line of shown(columns)) expect(measureWidth(line)).toBeLessThanOrEqual(columns);
	});
});

describe('contextd compact --free', () => {
	function run(...args: string[]): Promise<Run> {
		return runCommand(['compact', ...args], {
			answers: {
				'context/import': () => ({ sessionId: 's1', source: 'pi', messageCount: 1, skipped: [] }),
				'session/list': () => ({ sessions: [{ sessionId: 's1', messageCount: 1, updatedAt: 1 }] }),
				'context/history': () => ({ messages: [], version: 1 }),
				'context/sources': () => sources,
				'context/stats': () => statsWith(),
				'context/compact': () => compactionWith(),
			},
		});
	}

	it.each([['--session', 's1'], ['package.json']])(
		'frees a file by its name and a command, with %s',
		async (...on) => {
			const done = await run(...on, '--free', 'timeZone.ts', '--free', 'npm   test');
			expect(done.code).toBe(0);
			expect(sent(done, 'context/compact')).toMatchObject({
				free: { uris: ['file:///ws/src/timeZone.ts'], commands: ['npm   test'] },
			});
		},
	);

	it('frees a file by its absolute path', async () => {
		const done = await run('--session', 's1', '--free', '/etc/hosts');
		expect(sent(done, 'context/compact')).toMatchObject({ free: { uris: ['file:///etc/hosts'] } });
	});

	it.each([
		[['--free', 'hosts'], 'this could mean /etc/hosts or /ws/lib/hosts'],
		[
			['--free', 'Zone.ts'],
			'no visible result comes from this file or command; the largest files: /ws/src/timeZone.ts, /etc/hosts',
		],
		[['--free', '/src/timeZone.ts'], 'no visible result comes from this file or command'],
		[['--free', '../src/timeZone.ts'], 'no visible result comes from this file or command'],
		[['--free', ' '], '--free needs a path or a command'],
		[['--free', 'a', '--target', '4k'], '--target cannot be combined with --free'],
	])('refuses %j and compacts nothing', async (args, why) => {
		const done = await run('--session', 's1', ...args);
		expect(done.code).toBe(2);
		expect(done.err).toContain(why);
		expect(sent(done, 'context/compact')).toBeUndefined();
	});
});
