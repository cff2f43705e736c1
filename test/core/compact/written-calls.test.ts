import { describe, expect, it } from 'vitest';
import { createMessageAnalyses } from '../../../server/core/analysis/message/analyses.ts';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { pairWrittenCall } from '../../../server/core/analysis/message/writtenCalls.ts';
import type { Row } from '../../../server/core/history/row.ts';
import { addToAnalyses, locateFirstAnswer } from '../../../server/session/compaction/sourceReader.ts';
import { summaryOf } from './summaries.ts';

/** Returns the sources of a session whose messages alternate between the user's role and the agent. */
function sourcesOf(...texts: string[]): Source[] {
	const analyses = createMessageAnalyses();
	const rows = texts.map(
		(_, seq) =>
			({
				seq,
				id: `m${seq}`,
				role: seq % 2 === 0 ? 'user' : 'assistant',
				chars: 10,
				counts: { calls: 0 },
			}) as Row,
	);
	locateFirstAnswer(analyses, rows);
	for (const [seq, row] of rows.entries())
		addToAnalyses(analyses, row, {
			id: row.id,
			role: row.role as 'user' | 'assistant',
			content: texts[seq]!,
		});
	return [...analyses.sources.values()].sort((a, b) => a.seq - b.seq);
}

/** Returns the call that an agent's text writes. */
function callIn(text: string) {
	const output = createSource({ seq: 2, id: 'o' } as Row, {
		id: 'o',
		role: 'user',
		content: '<returncode>0</returncode>\n<output>\n</output>',
	});
	const message: Source = { seq: 1, id: 'a', role: 'assistant', text, calls: [] };
	const pair = pairWrittenCall(message, output);
	const call = pair?.caller.calls[0];
	return call && { name: call.name, args: call.args, prose: pair?.caller.text };
}

describe('calls that an agent writes as text', () => {
	it.each([
		[
			'a tag with a range of lines',
			'Look.\n<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>/srv/a.py</parameter>\n<parameter=view_range>[80, 90]</parameter>\n</function>',
			{
				name: 'str_replace_editor',
				args: { command: 'view', path: '/srv/a.py', view_range: [80, 90] },
				prose: 'Look.',
			},
		],
		[
			'a block of a shell',
			'THOUGHT: Look around.\n\n```bash\nls -la src\n```',
			{ name: 'bash', args: { command: 'ls -la src' }, prose: 'THOUGHT: Look around.' },
		],
		[
			'a document with code blocks, written by a block of a shell',
			"Write it down.\n```bash\ncat <<'EOF' > a.md\n```python\nx = 1\n```\nEOF\n```",
			{
				name: 'bash',
				args: { command: "cat <<'EOF' > a.md\n```python\nx = 1\n```\nEOF" },
				prose: 'Write it down.',
			},
		],
		[
			"a command of SWE-agent's editor",
			'Round it.\n```\nedit 12:13\n    return round(tide)\nend_of_edit\n```',
			{
				name: 'edit',
				args: { query: '12:13', input: '    return round(tide)\nend_of_edit' },
				prose: 'Round it.',
			},
		],
		[
			'a command that opens a file',
			'Open it.\n```\nopen src/tides.py 40\n```',
			{ name: 'open', args: { path: 'src/tides.py' }, prose: 'Open it.' },
		],
		[
			'a command of an editor tool',
			'```\nstr_replace_editor view /srv/tides.py --view_range 1 20\n```',
			{
				name: 'str_replace_editor',
				args: { command: 'view', path: '/srv/tides.py', input: '--view_range 1 20' },
				prose: '',
			},
		],
		[
			'a tag of a function',
			'Run it.\n<function=execute_bash>\n<parameter=command>\npytest -q\n</parameter>\n</function>',
			{ name: 'execute_bash', args: { command: 'pytest -q' }, prose: 'Run it.' },
		],
		[
			'a tag of a shell',
			'Run it.\n<execute_bash>\npytest -q\n</execute_bash>',
			{ name: 'bash', args: { command: 'pytest -q' }, prose: 'Run it.' },
		],
	])('pairWrittenCall reads %s', (_, text, expected) => {
		expect(callIn(text)).toEqual(expected);
	});

	it.each([
		['no block', 'All tests pass.'],
		['two blocks of a shell', '```bash\nls\n```\nor\n```bash\npwd\n```'],
		['a block of another language', 'It is now:\n```python\nx = 1\n```'],
		['an unclosed block', '```bash\nls -la'],
	])('pairWrittenCall reads no call from a message with %s', (_, text) => {
		expect(callIn(text)).toBeUndefined();
	});

	it('a command that the agent suggests to the user is no call', () => {
		const [, suggestion, reply] = sourcesOf(
			'How do I start it?',
			'Run:\n```bash\nnpm start\n```',
			'It says that the port is in use.',
		);
		expect(suggestion?.calls).toEqual([]);
		expect(reply?.role).toBe('user');
	});

	it('a summary shows files, checks and failures of a session without tool calls', () => {
		const text = summaryOf(
			sourcesOf(
				'Round the tides.',
				"THOUGHT: Write it.\n```bash\ncat <<'EOF' > src/tides.py\ndef level(x): return round(x)\nEOF\n```",
				'<returncode>0</returncode>\n<output>\n</output>',
				'THOUGHT: Test it.\n```bash\npytest -q\n```',
				'<returncode>1</returncode>\n<output>\nFAILED tests/test_tides.py::test_low - assert 2 == 3\n1 failed, 4 passed\n</output>',
				'THOUGHT: Fetch the table.\n```bash\ncurl -O http://tides.example/table\n```',
				'The last command <command>curl -O http://tides.example/table</command> timed out and has been killed.\nThe output of the command was:\n <output>\n</output>\nPlease try another command and make sure to avoid those requiring interactive input.',
			),
		);
		expect(text).toContain('src/tides.py');
		expect(text).toMatch(/pytest -q → exit 1: FAILED tests\/test_tides\.py::test_low/);
		expect(text).toMatch(/curl .*exit 124: Command timed out and has been killed\./);
		expect(text).not.toContain('[#2 user]');
	});

	it('a refused edit changes no file', () => {
		const text = summaryOf(
			sourcesOf(
				'Round the tides.',
				'Round it.\n```\nedit 12:13\n    return round(tide\nend_of_edit\n```',
				`Your proposed edit has introduced new syntax error(s). Please read this error message carefully.\n\nERRORS:\n- E999 SyntaxError: '(' was never closed\n\n[File: /srv/tides.py (30 lines total)]\n${'12:    return tide\n'.repeat(30)}\n(Open file: /srv/tides.py)\n(Current directory: /srv)\nbash-$`,
			),
		);
		expect(text).not.toContain('changed');
		expect(text).toContain('SyntaxError');
	});
});

describe('a command that the user ran in Claude Code', () => {
	const commandAndOutput = (command: string, output: string): Source[] => {
		const analyses = createMessageAnalyses();
		const texts = ['Build the pier.', 'I begin.', `<bash-input>${command}</bash-input>`, output, 'Go on.'];
		for (const [seq, content] of texts.entries()) {
			const role = seq === 1 ? 'assistant' : 'user';
			const row = { seq, id: `m${seq}`, role, chars: 10, counts: { calls: 0 } } as Row;
			if (seq === 0) locateFirstAnswer(analyses, [row, { ...row, seq: 1, role: 'assistant' }]);
			addToAnalyses(analyses, row, { id: row.id, role, content });
		}
		return [...analyses.sources.values()].sort((a, b) => a.seq - b.seq);
	};

	it('is a call with its result', () => {
		const sources = commandAndOutput(
			'git commit -am "Build the pier"',
			'<bash-stdout>[master 4f2c9aa] Build the pier\n 3 files changed</bash-stdout><bash-stderr></bash-stderr>',
		);
		const [, , caller, output] = sources;
		expect(caller).toMatchObject({ role: 'assistant', text: '', isInjected: false });
		expect(caller?.calls).toMatchObject([{ args: { command: 'git commit -am "Build the pier"' } }]);
		expect(output).toMatchObject({ role: 'tool', failed: false, toolCallId: caller?.calls[0]?.id });
		expect(summaryOf(sources, 800)).toContain('commit 4f2c9aa on branch master (#3)');
	});

	it.each([
		['<bash-stdout>one</bash-stdout><bash-stderr>two</bash-stderr>', /^one\s+two$/],
		['<bash-stdout></bash-stdout><bash-stderr>two</bash-stderr>', /^two$/],
		['<bash-stdout>one\n</bash-stdout>', /^one$/],
	])('has the output of %s', (written, output) => {
		expect(commandAndOutput('make pier', written)[3]?.text).toMatch(output);
	});

	it('is no call if no output follows', () => {
		expect(commandAndOutput('ls', 'Stop that.')[2]).toMatchObject({
			role: 'user',
			isInjected: true,
			calls: [],
		});
	});
});
