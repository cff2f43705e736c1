import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { ContextStats } from '../../server/protocol/stats.ts';
import { sessionAnswers } from './fakeDaemon.ts';
import { runCommand } from './runCommand.ts';
import { statsWith } from './values.ts';

const here = pathToFileURL(process.cwd()).href;
const transcript = {
	path: '/t/s.jsonl',
	agent: 'claude-code',
	label: 'Claude Code',
	title: 'Fix it',
	size: 9,
	updatedAt: 1,
};

/** Runs `contextd` on a machine with a session of this folder, with one of another folder only, or with none. */
function run(found: 'here' | 'elsewhere' | 'nowhere', stats: Partial<ContextStats> = {}) {
	return runCommand([], {
		answers: {
			...sessionAnswers(),
			'context/discover': ({ workspace }: { workspace?: string }) => ({
				transcripts:
					found === 'here' || (found === 'elsewhere' && workspace === undefined) ? [transcript] : [],
			}),
			'context/stats': () => statsWith(stats),
		},
	});
}

describe('contextd without arguments', () => {
	it('shows the meter of the newest session of this folder, and what to type next', async () => {
		const { code, out, err, fake } = await run('here');
		expect({ code, err }).toEqual({ code: 0, err: '' });
		expect(out).toMatch(/^Claude Code · \d+ \w+ ago · Fix it\n.* 65% healthy\n88,400 of 136,000 tokens/);
		expect(out.match(/^ {2}contextd .*?(?= {2})/gm)).toEqual([
			'  contextd stats',
			'  contextd compact',
			'  contextd setup',
			'  contextd --help',
		]);
		expect(fake?.messages.find(({ method }) => method === 'context/discover')?.params).toEqual({
			workspace: here,
		});
	});

	it('names a compaction first if the window is nearly full, and no setup where a plugin works', async () => {
		const { out } = await run('here', { shouldCompact: true, sessionId: 'claude:s1' });
		expect(out.match(/^ {2}contextd .*?(?= {2})/gm)).toEqual([
			'  contextd compact',
			'  contextd stats',
			'  contextd --help',
		]);
	});

	it('shows the newest session of any folder, with its path, if this folder has none', async () => {
		const { out } = await run('elsewhere');
		expect(out).toContain('From another folder: /t/s.jsonl\n');
		expect(out).toContain('contextd sessions --all');
		expect(out).not.toContain('contextd compact');
	});

	it('says what to do on a machine without sessions, and succeeds', async () => {
		const { code, out } = await run('nowhere');
		expect(code).toBe(0);
		expect(out).toMatch(/^No session of an agent was found on this machine\.\n\n {2}contextd setup /);
	});
});
