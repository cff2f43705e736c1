import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parseFlags } from '../../server/core/settings/flags.ts';
import { sessionAnswers } from './fakeDaemon.ts';
import { runCommand } from './runCommand.ts';
import { compactionWith, statsWith } from './values.ts';

const full = { agent: 'pi', usageRatio: 0.83, estimatedInputTokens: 166_000, availableInputTokens: 200_000 };
const warning =
	'Context usage: 83% of window (166,000 / 200,000 tokens available)\n' +
	'Auto-compaction will trigger to preserve conversation quality.\n';

function run(args: string[], stats: Parameters<typeof statsWith>[0], env: NodeJS.ProcessEnv = {}) {
	return runCommand(args, {
		stdin: Readable.from([Buffer.from('{"role":"user","content":"hi"}\n')]),
		answers: {
			...sessionAnswers(),
			'context/stats': () => statsWith(stats),
			'context/compact': () => compactionWith({}),
		},
		env,
	});
}

describe('the lines on usage', () => {
	it.each(['stats', 'compact'])(
		'the line on usage is printed to the error output of %s alone',
		async (command) => {
			const due = await run([command, '-'], { ...full, shouldCompact: true });
			expect(due.err.endsWith(warning)).toBe(true);
			expect(due.out).not.toContain('of window');
			const filling = await run([command, '-'], { usageRatio: 0.65 });
			expect(filling.err.endsWith('Context: 65% of window used\n')).toBe(true);
			expect((await run([command, '-'], { usageRatio: 0.6 })).err).not.toContain('Context');
		},
	);

	it.each(['stats', 'compact'])('the line on usage is omitted by %s --json', async (command) => {
		const { out, err } = await run([command, '-', '--json'], { ...full, shouldCompact: true });
		expect(`${out}${err}`).not.toMatch(/of window|Auto-compaction/);
	});

	it('the line on usage is gray or yellow if the error output takes colours', async () => {
		const coloured = { FORCE_COLOR: '1' };
		expect((await run(['stats', '-'], { usageRatio: 0.65 }, coloured)).err).toBe(
			'\u001b[90mContext: 65% of window used\u001b[0m\n',
		);
		const due = await run(['stats', '-'], { ...full, shouldCompact: true }, coloured);
		expect(due.err).toContain('\u001b[33mContext usage: 83%');
	});
});

it('contextd --help lists every flag of the daemon', async () => {
	const { out } = await runCommand(['--help']);
	for (const flag of [
		...['--stdio', '--framing F', '--clientProcessId N', '--compact-threshold N', '--disable-compaction'],
		...['--storage DIR', '--log-level L'],
	]) {
		expect(out).toContain(`  ${flag}  `);
		const [name = '', value] = flag.split(' ');
		expect(parseFlags(value === undefined ? [name] : [name, '1']).warnings.join()).not.toContain('unknown');
	}
});
