import { describe, expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

describe.each([
	['Claude Code', 'Bash', 'command'],
	['Codex', 'exec_command', 'cmd'],
	['Copilot', 'bash', 'command'],
] as const)('a script that prints its exit code in the format of %s', (_, name, key) => {
	const summaryAfter = (command: string, output: string): string => {
		const made = call(name, { [key]: command });
		return summaryOf([user(1, 'Try the hook.'), assistant(2, '', made), result(3, made, output)]);
	};

	it('and nothing else has worked', () => {
		expect(summaryAfter('ferry hook run; echo "exit: $?"', 'exit: 0')).toContain('→ exit 0');
	});

	it('and nothing else has worked, as Copilot reports it', () => {
		const output = 'exit: 0\n<shellId: 4 completed with exit code 0>';
		expect(summaryAfter('ferry hook run; echo "exit: $?"', output)).toContain('→ exit 0');
	});

	it('and other lines shows those', () => {
		const text = summaryAfter('ferry hook run; echo "exit: $?"', 'The hook ran for 2 piers\nexit: 0');
		expect(text).toContain('→ The hook ran for 2 piers');
	});

	it('a command that prints nothing has no outcome', () => {
		expect(summaryAfter('ferry hook run', '')).not.toContain('→ exit 0');
	});
});
