import { describe, expect, it } from 'vitest';
import type { RecallMatch } from '../../server/protocol/history.ts';
import { type CommandContext, runCommand } from './runCommand.ts';

const match: RecallMatch = {
	messageId: 'm7',
	role: 'tool',
	toolName: 'Bash',
	at: Date.now() - 3 * 86_400_000,
	excerpt: '…the build\nfails with ERR_PORT_IN_USE \u001b[31m…',
	visible: false,
	recordingId: 'a1b2c3d4e5',
	agent: 'codex',
	label: 'Codex',
	title: 'Fix the ferry timetable',
	folder: '/home/ada/ferry',
	transcript: '/home/ada/.codex/rollout.jsonl',
	seq: 12,
};

function recall(args: string[], matches: RecallMatch[] = [match], context: CommandContext = {}) {
	return runCommand(['recall', ...args], {
		answers: {
			'context/recall': () => ({ matches, total: matches.length, searched: 900 }),
			'recorder/messages': () => ({
				session: { recordingId: 'a1b2c3d4e5', label: 'Codex', title: 'Fix the ferry timetable' },
				messages: [
					{ messageId: 'm6', seq: 11, role: 'assistant', text: 'I start it.', totalChars: 11 },
					{
						messageId: 'm7',
						seq: 12,
						role: 'tool',
						toolName: 'Bash',
						text: 'ERR_PORT_IN_USE\n\u001b[2J',
						totalChars: 20,
					},
				],
			}),
		},
		...context,
	});
}

describe('contextd recall', () => {
	it('shows a match in two lines, with its number, session and sender, and no control characters', async () => {
		const { out, code } = await recall(['ERR_PORT_IN_USE']);
		expect(code).toBe(0);
		const [first, second] = out.split('\n');
		expect(first).toBe('1   Codex · 3 d ago · /home/ada/ferry · Fix the ferry timetable');
		expect(second).toMatch(/^ {4}Bash {2}…the build fails with ERR_PORT_IN_USE/);
		expect(out).not.toContain('\u001b');
	});

	it('passes its filters to the daemon', async () => {
		const { fake } = await recall([
			'port',
			'number',
			'--here',
			'--agent',
			'claude',
			'--since',
			'30d',
			'--limit',
			'3',
		]);
		const sent = fake?.messages.find(({ method }) => method === 'context/recall')?.params;
		expect(sent).toMatchObject({
			query: 'port number',
			limit: 3,
			agent: 'claude-code',
			workspace: process.cwd(),
		});
		const { since } = sent as { since: number };
		expect(Math.abs(Date.now() - 30 * 86_400_000 - since)).toBeLessThan(600_000);
	});

	it('opens a match with the messages around it', async () => {
		const { out, fake } = await recall(['ERR_PORT_IN_USE', '--open', '1']);
		expect(out).toContain('Codex · Fix the ferry timetable');
		expect(out).toMatch(/I start it\.\s+▶ Bash\s+ERR_PORT_IN_USE/);
		expect(out).not.toContain('\u001b[2J');
		const sent = fake?.messages.find(({ method }) => method === 'recorder/messages')?.params;
		expect(sent).toMatchObject({ recordingId: 'a1b2c3d4e5', messageId: 'm7' });
	});

	it('says that nothing was found, and that sessions are still being indexed', async () => {
		expect((await recall(['nothing'], [])).out).toContain('No recorded message contains these words.');
		const answers = { 'context/recall': () => ({ matches: [], total: 0, searched: 0, pending: 2 }) };
		expect((await runCommand(['recall', 'x'], { answers })).out).toContain(
			'2 sessions still being recorded or indexed',
		);
	});

	it.each([
		[['recall'], 'expected words to look for'],
		[['recall', 'x', '--here', '--all'], '--here cannot be combined with --all'],
		[['recall', 'x', '--session', 's', '--limit', '3'], '--limit cannot be combined with --session'],
		[['recall', 'x', '--limit', '0'], '--limit: expected a number from 1 to 100, got "0"'],
		[['recall', 'x', '--since', 'tomorrow'], 'recall: --since: expected a time like 30d'],
		[['recall', 'x', '--agent', 'copilot'], '--agent: expected one of copilot-cli, copilot-chat'],
		[['recall', 'x', '--open', '1', '--json'], '--open cannot be combined with --json'],
	])('refuses %j', async (args, message) => {
		const { code, err } = await runCommand(args);
		expect(code).toBe(2);
		expect(err).toContain(message);
	});

	it('refuses to open a match that was not found', async () => {
		const { code, err } = await recall(['x', '--open', '4']);
		expect(code).toBe(2);
		expect(err).toContain('there is no match 4: expected a number up to 1');
	});
});
