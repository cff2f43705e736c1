/** Answers to the settings hooks of Claude Code when no mod is active. */

import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createHookAnswer } from '../../server/hooks/answer.ts';
import { type ConversationLine, type HookSession, hookSession, shellCall } from './session.ts';

let made: HookSession | undefined;

afterEach(async () => {
	await made?.end();
	made = undefined;
});

async function sessionWith(said: readonly ConversationLine[], settings: object = {}): Promise<HookSession> {
	made = await hookSession(said, settings);
	return made;
}

function answered({ settings, folder }: HookSession, input: string): Promise<string> {
	return createHookAnswer(input, {
		settingsPath: settings,
		platform: 'linux',
		home: folder,
		now: () => 1_795_000_000_000,
	});
}

const rule = 'Never touch the file settings.ini, another team owns it.';
const plan = {
	call: 'TodoWrite',
	args: {
		todos: [
			{ content: 'Build the index once', status: 'completed', activeForm: 'Building' },
			{ content: 'Insert the rows in batches', status: 'in_progress', activeForm: 'Inserting' },
			{ content: 'Write the note for the changelog', status: 'pending', activeForm: 'Writing' },
		],
	},
	result: 'Todos have been modified successfully.',
} as const;
const short: ConversationLine[] = [
	{ role: 'user', text: `Make the import faster. ${rule}` },
	{ role: 'assistant', text: 'The cause is that the index is built for every row.' },
	{ call: 'Bash', args: { command: 'npm run bench' }, result: 'import of 20000 rows: 184.2 s' },
	plan,
	{ role: 'assistant', text: 'I decided for batches of 500 rows in one transaction.' },
	{ role: 'user', text: 'Go on.' },
];

describe('before a compaction of Claude Code', () => {
	it('PreCompact returns instructions with the record: rules, plan and decisions', async () => {
		const session = await sessionWith(short);
		const order = await answered(session, session.input('PreCompact', { trigger: 'auto' }));
		expect(order).toContain(rule);
		expect(order).toContain('- (in progress) Insert the rows in batches');
		expect(order).toContain('I decided for batches of 500 rows in one transaction.');
		expect(order).toContain('184.2 s');
		// Claude Code parses a text that begins with a brace as JSON.
		expect(order.startsWith('{')).toBe(false);
	});

	it.each([
		[
			'of English',
			(no: number) => `Step ${no}: the parser of module${no}.ts fails because of a missing comma.`,
		],
		[
			'of Chinese',
			(no: number) => `第${no}步：module${no}.ts 的解析器失败，因为缺少逗号，所以我决定重写它。`,
		],
	])('PreCompact fills the length that Claude Code accepts, for a long session %s', async (_, text) => {
		const talk = Array.from({ length: 600 }, (_one, no): ConversationLine[] => [
			{ role: 'user', text: `Please do step ${no}. Always keep rule number ${no} in mind.` },
			{ role: 'assistant', text: text(no) },
		]).flat();
		const session = await sessionWith(talk);
		const order = await answered(session, session.input('PreCompact', { trigger: 'manual' }));
		expect(order.length).toBeLessThanOrEqual(10_000);
		expect(order.length).toBeGreaterThan(7000);
		expect(order.endsWith('</conversation-record>')).toBe(true);
	});

	it('text of the conversation cannot close the record', async () => {
		const session = await sessionWith([
			...short,
			{
				role: 'assistant',
				text: 'The answer is </conversation-record> and then <conversation-record> again, I decided so.',
			},
		]);
		const order = await answered(session, session.input('PreCompact', { trigger: 'auto' }));
		expect(order.split('</conversation-record>')).toHaveLength(2);
		expect(order.split('<conversation-record>')).toHaveLength(2);
	});

	it('PreCompact returns nothing for an empty session, and for a subagent', async () => {
		const session = await sessionWith([]);
		expect(await answered(session, session.input('PreCompact', { trigger: 'auto' }))).toBe('');
		const other = await sessionWith(short);
		expect(await answered(other, other.input('PreCompact', { agent_id: 'a1' }))).toBe('');
	});
});

describe('after a compaction of Claude Code', () => {
	it('SessionStart returns rules unchanged, and open tasks', async () => {
		const session = await sessionWith(short);
		const text = await answered(session, session.input('SessionStart', { source: 'compact' }));
		const { hookSpecificOutput } = JSON.parse(text);
		expect(hookSpecificOutput.hookEventName).toBe('SessionStart');
		const { additionalContext } = hookSpecificOutput;
		expect(additionalContext).toContain(`- ${rule}`);
		expect(additionalContext).toContain('- (in progress) Insert the rows in batches');
		expect(additionalContext).toContain('- Write the note for the changelog');
		expect(additionalContext).not.toContain('Build the index once');
	});

	it('SessionStart lists binding rules first, and counts those that did not fit', async () => {
		const talk = Array.from({ length: 400 }, (_, no): ConversationLine => {
			return { role: 'user', text: `Please prefer the ${no}th way of writing tests where both would do.` };
		});
		const session = await sessionWith([...talk, { role: 'user', text: rule }]);
		const text = await answered(session, session.input('SessionStart', { source: 'compact' }));
		const { additionalContext } = JSON.parse(text).hookSpecificOutput;
		expect(additionalContext.length).toBeLessThanOrEqual(10_000);
		expect(additionalContext.split('\n')[3]).toBe(`- ${rule}`);
		expect(additionalContext).toMatch(/- … \d+ more that did not fit here/);
	});

	it.each(['startup', 'resume', 'clear', 'fork'])(
		'SessionStart returns nothing for a session that begins by %s',
		async (source) => {
			const session = await sessionWith(short);
			expect(await answered(session, session.input('SessionStart', { source }))).toBe('');
		},
	);

	it('SessionStart returns nothing without rules and open tasks', async () => {
		const session = await sessionWith([{ role: 'user', text: 'Hello.' }]);
		expect(await answered(session, session.input('SessionStart', { source: 'compact' }))).toBe('');
	});
});

describe('output of a shell', () => {
	const lines = Array.from({ length: 900 }, (_, no) => `${no}: the queue holds ${no * 7} items`);
	const failing = 'Error: expected 3 rows, got 4';
	const output = [...lines.slice(0, 450), failing, ...lines.slice(450)].join('\n');

	it('a long output of a shell keeps both ends and failure lines, and names the file with the whole', async () => {
		const session = await sessionWith(short);
		const call = shellCall(output, { noOutputExpected: false });
		const text = await answered(session, session.input('PostToolUse', call));
		const { hookEventName, updatedToolOutput } = JSON.parse(text).hookSpecificOutput;
		expect(hookEventName).toBe('PostToolUse');
		const { stdout, ...rest } = updatedToolOutput;
		expect(rest).toEqual({ stderr: '', interrupted: false, isImage: false, noOutputExpected: false });
		expect(stdout.length).toBeLessThan(0.8 * output.length);
		for (const line of [lines[0], failing, lines[899]]) expect(stdout).toContain(line);
		const path = /\[901 lines in all; the whole output is in (.*)\]$/.exec(stdout)?.[1] ?? '';
		expect(await readFile(path, 'utf8')).toBe(output);
	});

	it.each([
		['within the limit', shellCall(lines.slice(0, 100).join('\n')), {}],
		['of an image', shellCall(output, { isImage: true }), {}],
		['that Claude Code stores elsewhere', shellCall(output, { persistedOutputPath: '/tmp/x' }), {}],
		['of another tool', { ...shellCall(output), tool_name: 'Read' }, {}],
		['of an unknown shape', { ...shellCall(output), tool_response: [output] }, {}],
		['if the user turned shortening off', shellCall(output), { agents: { toolResultTokens: 0 } }],
	])('an output %s is left unchanged', async (_, call, settings) => {
		const session = await sessionWith(short, settings);
		expect(await answered(session, session.input('PostToolUse', call))).toBe('');
	});
});

describe('invalid input of hooks', () => {
	it.each([
		'',
		'x',
		'[]',
		'null',
		'{}',
		'{"session_id":1,"hook_event_name":"PreCompact"}',
		'{"session_id":"s"}',
	])('invalid input is answered with nothing: %s', async (text) => {
		expect(await answered(await sessionWith(short), text)).toBe('');
	});
});
