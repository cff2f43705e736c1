import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const context = [
	'const limit = readLimit(options);',
	'const dryRun = options.dryRun ?? false;',
	'const threshold_ratio = 0.8;',
];
const added = "const agentName = 'codex_agent' as const;";
const before = context.join('\n');
const after = [...context, added].join('\n');

/** Edits in the formats of Claude Code, OpenHands, pi and Gemini. */
const edits = {
	Edit: { file_path: 'src/run.ts', old_string: before, new_string: after },
	str_replace_editor: { command: 'str_replace', path: 'src/run.ts', old_str: before, new_str: after },
	edit: { path: 'src/run.ts', oldText: before, newText: after },
	replace: { file_path: 'src/run.ts', old_string: before, new_string: after },
};

/** Returns a summary of an edit. */
const summaryAfter = (edit: ToolCall, budget = 900): string =>
	summaryOf(
		[
			user(1, 'Pass the agent on.'),
			assistant(2, 'I add it to the options.', edit),
			result(3, edit, 'The file was updated.'),
			assistant(4, 'The agent codex_agent is passed on now.'),
		],
		budget,
	);

describe.each(Object.entries(edits))('an edit by %s', (name, args) => {
	it.each([300, 900, 3000])('a summary of %d tokens quotes only the lines that it changed', (budget) => {
		const text = summaryAfter(call(name, args), budget);
		for (const line of context) expect(text).not.toContain(line);
		if (budget > 300) expect(text).toContain(added);
	});

	it('does not quote lines that it only aligned', () => {
		const [aligned, ...others] = ['limit: readLimit(options),', 'dryRun: options.dryRun ?? false,'];
		const widened = ["agentName: 'codex_agent',", aligned.replace(': ', ':     '), ...others].join('\n');
		const sides = Object.entries(args).map(([key, value]): [string, string] => {
			if (value === before) return [key, [aligned, ...others].join('\n')];
			return [key, value === after ? widened : value];
		});
		const edit = call(name, Object.fromEntries(sides));
		const text = summaryAfter(edit);
		expect(text).toContain("agentName: 'codex_agent',");
		expect(text).not.toContain('readLimit');
	});
});

describe('a patch', () => {
	it('does not quote a line that it removes and adds again', () => {
		const kept = "import { readTideTable } from './tideTable.ts';";
		const changed = "import { nextBerthOf } from './berths/nextBerth.ts';";
		const patch = `*** Begin Patch\n*** Update File: src/pier.ts\n@@\n-${kept}\n-import { nextBerthOf } from './berths.ts';\n+${kept}\n+${changed}\n*** End Patch`;
		const edit = call('apply_patch', { input: patch });
		const text = summaryAfter(edit);
		expect(text).toContain(changed);
		expect(text).not.toContain(kept);
	});

	it.each([
		['a tool', (input: string) => call('apply_patch', { input })],
		['a command', (patch: string) => call('shell', { command: ['apply_patch', patch] })],
	])('in %s does not quote the unmarked lines around its changes', (_, create) => {
		const lines = context.map((line) => ` ${line}`).join('\n');
		const patch = `*** Begin Patch\n*** Update File: src/run.ts\n@@\n${lines}\n+${added}\n*** End Patch`;
		const text = summaryAfter(create(patch));
		expect(text).toContain(added);
		for (const line of context) expect(text).not.toContain(line);
	});
});

it.each([
	['Edit', 'old_string', 'new_string'],
	['edit', 'oldText', 'newText'],
])('the line of %s that only removes a line does not show the line that stays', (name, old, added) => {
	const kept = 'serde = { version = "1.0", features = ["derive"] }';
	const edit = call(name, { path: 'Cargo.toml', [old]: `config = "0.15"\n${kept}`, [added]: kept });
	const text = summaryAfter(edit);
	expect(text).toContain(`${name} Cargo.toml`);
	expect(text).not.toContain('serde');
});
