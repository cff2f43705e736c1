import { describe, expect, it } from 'vitest';
import {
	describeAgentStart,
	describeExistingCopy,
	describeNewCopy,
	findNewestCopy,
	proposePath,
} from '../../client-vscode/src/commands/exportFile.ts';
import { receipt } from './receipt.ts';
import { stats } from './stats.ts';

const original = '/home/me/.claude/projects/-p/original.jsonl';
const now = 10_000_000;

function transcript(path: string, copyOf?: string, startedAt?: number) {
	const times = { updatedAt: 1, ...(startedAt !== undefined && { startedAt }) };
	const agent = { agent: 'claude-code', label: 'Claude Code', size: 1 };
	return { path, ...agent, ...times, ...(copyOf !== undefined && { copyOf }) };
}

describe('compacted copies', () => {
	it('finds the newest copy of a session, and no copy of another one', () => {
		const all = [
			transcript('/old', original, 5),
			transcript('/new', original, 9),
			transcript('/other', '/x', 20),
			transcript(original, undefined, 30),
		];
		expect(findNewestCopy(all, original)?.path).toBe('/new');
		expect(findNewestCopy(all.slice(2), original)).toBeUndefined();
	});

	it('says how old a copy is and whether its original has continued', () => {
		const copy = transcript('/copy', original, now - 300_000);
		expect(describeExistingCopy(copy, { activeAt: now - 300_001, now })).toBe(
			'This session has a compacted copy already, created 5 min ago.',
		);
		expect(describeExistingCopy(copy, { activeAt: now - 1, now })).toMatch(/continued since\.$/);
	});

	it('says how full the window was and will be, on the scale of the meter', () => {
		const compacted = {
			...receipt,
			compacted: true,
			tokensBefore: 70_000,
			tokensAfter: 30_000,
			tokensSaved: 40_000,
		};
		expect(describeNewCopy(compacted, stats())).toBe(
			'Created a compacted copy of the session: 86k → 46k (63% → ~34%).',
		);
		expect(describeNewCopy(compacted, undefined)).toContain('70k → 30k tokens of history');
		expect(describeNewCopy({ ...compacted, compacted: false }, stats())).toContain('nothing to compact');
	});
});

describe('path of an exported file', () => {
	it('an exported file goes next to the original for Claude Code, otherwise to the home folder', () => {
		const propose = (format: 'claude-code' | 'pi', originalPath?: string) =>
			proposePath({ format, ...(originalPath && { originalPath }) }, 'a.jsonl', '/home/me');
		expect(propose('claude-code', original)).toBe('/home/me/.claude/projects/-p/a.jsonl');
		expect(propose('claude-code')).toBe('/home/me/a.jsonl');
		expect(propose('pi', original)).toBe('/home/me/a.jsonl');
	});

	it('an exported file needs no move if Claude Code finds it there', () => {
		const order = { format: 'claude-code', agentSessionId: 'a', originalPath: original } as const;
		const there = describeAgentStart({ ...order, path: '/home/me/.claude/projects/-p/a.jsonl' });
		expect(there?.hint).toBe('Continue with “claude --resume a”.');
		expect(describeAgentStart({ ...order, path: '/home/me/a.jsonl' })?.hint).toContain(
			'Move it into /home/me/.claude',
		);
	});
});
