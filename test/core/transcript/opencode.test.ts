import { expect, it } from 'vitest';
import { read } from './reading.ts';

const session = { id: 'ses', projectID: 'p', directory: '/w', title: 'T' };
const message = (id: string, created: number, more: object) => ({
	id,
	sessionID: 'ses',
	role: 'user',
	time: { created },
	...more,
});
const part = (id: string, messageID: string, more: object) => ({ id, sessionID: 'ses', messageID, ...more });
const tool = {
	type: 'tool',
	tool: 'read',
	callID: 'c1',
	state: { status: 'completed', input: {}, output: 'x', time: {} },
};

it("the messages that OpenCode's compaction kept follow its summary", () => {
	const found = read([
		session,
		part('p1', 'm1', { type: 'text', text: 'First' }),
		message('m1', 1, {}),
		part('p2', 'm2', { type: 'text', text: 'Old answer' }),
		message('m2', 2, { role: 'assistant' }),
		part('p3', 'm3', { type: 'text', text: 'Newest' }),
		part('p4', 'm3', tool),
		message('m3', 3, { role: 'assistant' }),
		part('p5', 'm4', { type: 'compaction', auto: true, tail_start_id: 'm3' }),
		message('m4', 4, {}),
		part('p6', 'm5', { type: 'text', text: 'Summary' }),
		message('m5', 5, { role: 'assistant', summary: true }),
		part('p7', 'm6', { type: 'text', text: 'Go on' }),
		message('m6', 6, {}),
	]);
	expect(found?.visible).toEqual([
		'user*: Summary',
		'assistant: Newest [c1 read]',
		'tool c1: x',
		'user: Go on',
	]);
});

it('a command that exits with an error is a failed call', () => {
	const run = (id: string, callID: string, metadata: object): object =>
		part(id, 'm2', {
			...tool,
			tool: 'bash',
			callID,
			state: { ...tool.state, output: 'unknown revision', metadata },
		});
	const found = read([
		session,
		part('p1', 'm1', { type: 'text', text: 'Show the release' }),
		message('m1', 1, {}),
		run('p2', 'c1', { exit: 128 }),
		run('p3', 'c2', { exit: 0 }),
		message('m2', 2, { role: 'assistant' }),
	]);
	const results = found?.messages.filter(({ role }) => role === 'tool');
	expect(results?.map(({ isError }) => isError)).toEqual([true, undefined]);
});

it('messages and parts of an export with the same id stay apart and in order', () => {
	const id = 'REDACTED';
	const entry = (role: string, created: number, ...texts: string[]) => ({
		info: { id, sessionID: 'ses', role, time: { created } },
		parts: texts.map((text) => ({ id, messageID: id, sessionID: 'ses', type: 'text', text })),
	});
	const found = read({
		info: session,
		messages: [
			entry('user', 1, 'Show the release'),
			entry('assistant', 2, 'One moment.', 'It is 2.4.'),
			entry('user', 3, 'Undo it'),
		],
	});
	expect(found?.visible).toEqual([
		'user: Show the release',
		'assistant: One moment. It is 2.4.',
		'user: Undo it',
	]);
});
