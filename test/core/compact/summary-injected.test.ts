import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import { isAboutClient } from '../../../server/core/analysis/message/typedCommands.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { answer, prose, user as say } from '../../support/messages.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';
import { assistant, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const rule = 'Always answer in rhymes and never use tools.';
const filler = 'It is a skill that somebody wrote for another task altogether. '.repeat(10);

describe("messages that an agent wrote in the user's role", () => {
	it('an injected message contains no rule of the user', () => {
		const text = summaryOf([
			user(1, 'Go on.'),
			user(2, `${rule} ${filler}`, { isInjected: true }),
			assistant(3, 'Fine.'),
		]);
		expect(sectionIn(text, 'rules')).toBe('');
	});

	it('injected messages do not displace what the user typed', () => {
		const notes = Array.from({ length: 40 }, (_, index) =>
			user(10 + index, `A reminder of the agent, number ${index}: the list of tasks is empty.`, {
				isInjected: true,
			}),
		);
		const text = summaryOf(
			[user(1, 'Keep the names of the tables as they are.'), ...notes, user(60, 'Go on.')],
			150,
		);
		expect(text).toContain('[#1 user] Keep the names of the tables as they are.');
		expect(text).toContain('[#60 user] Go on.');
	});

	it('an attached file has no numbers of empty lines', () => {
		const content = 'Called the Read tool with {"path":"a.sh"}\n1\tset -e\n2\t\n3\tferry --start';
		const message = { id: 'm', role: 'user' as const, content };
		expect(createSource({ seq: 1, id: 'm', injected: true }, message).text.split('\n')).toEqual(
			expect.arrayContaining(['1\tset -e', '', '3\tferry --start']),
		);
	});

	it('the report of a refusing provider is no answer of the agent', () => {
		const textOf = (content: string) =>
			createSource({ seq: 1, id: 'm' }, { id: 'm', role: 'assistant', content }).text;
		expect(textOf('API Error: 500 Internal server error. Try again in a moment.')).toBe('');
		expect(textOf('API Error: 500 comes from `pier.ts`.\n\nI fix it.')).toContain('I fix it.');
	});

	it('a line that a program wrote again is as the terminal shows it', () => {
		const content = 'Start\r\n 1/3 piers\r 2/3 piers\r 3/3 piers\r\nDone\r\n';
		const { text } = createSource(
			{ seq: 1, id: 'm', tool: 'Bash' },
			{ id: 'm', role: 'tool', toolCallId: 'c', content },
		);
		expect(text).toBe('Start\n 3/3 piers\nDone\n');
	});

	it('an injected message is labelled, and left out if it is boilerplate', () => {
		const text = summaryOf([
			user(1, 'Go on.'),
			user(2, 'Invoke the skill of the harvest.', { isInjected: true }),
			user(3, `The skill of the harvest counts apples before pears. ${filler}`, { isInjected: true }),
			user(4, '<local-command-caveat>Caveat: no answer is wanted.</local-command-caveat>', {
				isInjected: true,
			}),
			assistant(5, 'Fine.'),
		]);
		expect(text).toContain('[#1 user] Go on.');
		expect(sectionIn(text, 'events')).toContain('[#2 injected] Invoke the skill of the harvest.');
		expect(text).toMatch(/\[#3 injected\].*apples before pears/s);
		expect(text).not.toContain('Caveat');
	});

	it("an injected message that records the user's command belongs to the user", () => {
		const given = '<command-name>/plan</command-name>\n<command-args>no new dependency please</command-args>';
		const text = summaryOf([user(1, 'Go on.'), user(2, given, { isInjected: true }), assistant(3, 'Fine.')]);
		expect(text).toContain('[#2 user] /plan no new dependency please');
	});

	it.each([
		['a typed command', '/exit', false],
		['a change of the mode of Aider', '/architect', false],
		['a typed word', 'quit', false],
		['a command', '<command-name>/exit</command-name>\n<command-args></command-args>', true],
		[
			'a command, its name last',
			'<command-message>ide</command-message>\n<command-name>/ide</command-name>',
			true,
		],
		['what a command printed', '<local-command-stdout>Bye!</local-command-stdout>', true],
		['an interruption', '[Request interrupted by user for tool use]', true],
		['a note of Codex on its folder', '<environment_context>\n<cwd>/srv</cwd>\n</environment_context>', true],
		['a turn that Codex aborted', '<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>', true],
	])("a message about the agent's program is not shown: %s", (_, said, isInjected) => {
		const sources = [user(1, 'Count the pears.'), assistant(2, 'There are nine pears.')];
		const text = summaryOf([...sources, user(3, said, { isInjected }), user(4, 'Now the plums.')]);
		expect(text).toContain('[#4 user] Now the plums.');
		expect(text).not.toContain('#3');
	});

	it.each([
		'[Request interrupted by user for tool use]\n',
		'<local-command-stdout>Bye!</local-command-stdout>\n',
		'<environment_context>\n<cwd>/srv</cwd>\n</environment_context>\n',
		'<command-name>/model</command-name>\n<command-args></command-args>\n',
	])('words that a request merges with a message about the program are shown: %s', (notice) => {
		const said = 'Take the pears in the shed instead.';
		const sources = [user(1, 'Count the pears.'), assistant(2, 'There are nine.'), user(3, notice + said)];
		expect(summaryOf([...sources, user(4, 'Now the plums.')])).toContain(said);
	});

	it.each(['ide_opened_file', 'ide_visible_files', 'ide_cursor'])(
		'a request is shown without what Claude Code adds about the editor: %s',
		(name) => {
			const note = `<${name}>The user opened the file /srv/pears.ts in the IDE.</${name}>`;
			const content = `${note}\nCount the plums too.`;
			const { text } = createSource({ seq: 1, id: 'm' }, { id: 'm', role: 'user', content });
			expect(text.trim()).toBe('Count the plums too.');
		},
	);

	it.each(['/review the harbour desk', 'Exit the loop after nine pears.'])(
		'a message that only begins like a command of the program is shown: %s',
		(said) => {
			expect(summaryOf([user(1, 'Count.'), assistant(2, 'Nine.'), user(3, said)])).toContain(
				`[#3 user] ${said}`,
			);
		},
	);

	it.each([
		'# In app browser:\n- Current URL: http://localhost:5173/',
		'# Context from my IDE setup:\n\n## Active file: src/pears.ts',
	])('a request is shown without what Codex adds about its window: %s', (note) => {
		const content = `\n${note}\n\n## My request for Codex:\nCount the plums too.\n`;
		const { text } = createSource({ seq: 1, id: 'm' }, { id: 'm', role: 'user', content });
		expect(text).toBe('Count the plums too.\n');
	});

	it('a request with a heading of the user is shown whole', () => {
		const content = '# Pears\n\n## My request for Codex:\nCount them.';
		const { text } = createSource({ seq: 1, id: 'm' }, { id: 'm', role: 'user', content });
		expect(text).toBe(content);
	});

	it('an injected summary of earlier messages is labelled as a recap', () => {
		const text = summaryOf([
			user(1, 'Go on.'),
			user(
				2,
				`This session is being continued. The importer keeps the order of rows because reports rely on it. ${filler}`,
				{
					isInjected: true,
					isRecap: true,
				},
			),
			assistant(3, 'Fine.'),
		]);
		expect(sectionIn(text, 'background')).toBe('');
		expect(sectionIn(text, 'events')).toMatch(/\[#2 recap\].*keeps the order of rows/s);
	});

	it.each([
		['a skill', 'Base directory for this skill: /skills/rhymes\n'],
		['a reminder', '<system-reminder>\n'],
		['the instructions of a project', '# AGENTS.md instructions for /repo\n'],
		['an environment', '<environment_context>\n'],
		['an attached file', 'Called the Read tool with the following input: {"file_path":"/w/song.md"}\n'],
		['a note of OpenCode', 'Summarize the task tool output above and continue with your task.\n'],
		['a summary of before', 'This session is being continued from a previous conversation that ran out.\n'],
	])('an appended message is recognized as injected by its text: %s', async (_, begin) => {
		const injected = say('i', `${begin}${rule} ${filler.repeat(4)}`);
		const talk = Array.from({ length: 12 }, (_, at): ChatMessage[] => [
			answer(`a${at}`, prose(120, at)),
			say(`u${at}`, `And part ${at}?`),
		]).flat();
		const session = await sessionWith(testWorld(), [
			say('first', 'Tell me of the river.'),
			injected,
			...talk,
		]);
		await compactNow(session, { targetTokens: 900 });
		const after = await historyOf(session);
		const ids = after.map(({ id }) => id);
		expect(ids).not.toContain('i');
		expect(ids).toContain('first');
		const summary = String(after.find(({ metadata }) => metadata?.isSummary)?.content);
		expect(summary).toContain('##');
		expect(sectionIn(summary, 'rules')).toBe('');
	});

	const reminder = `<system-reminder>\n${rule}\n</system-reminder>`;
	const row = { seq: 3, id: 'm3' };
	it.each([
		['before them', `${reminder}\n\nTake the pears.`],
		['after them', `Take the pears.\n\n${reminder}`],
		[
			'in parts of their own',
			[reminder, 'Take the pears.', reminder].map((text) => ({ type: 'text', text }) as const),
		],
		['of Cline', 'Take the pears.\n\n<environment_details>\n# Never edit open tabs\n</environment_details>'],
		['of Codex', '<environment_context>\n<cwd>/srv</cwd>\n</environment_context>\nTake the pears.'],
		['of older versions', 'Take the pears.\n<system_reminder>\nNever stop.\n</system_reminder>'],
		['of Copilot', '<current_datetime>2026-05-04T11:20:00Z</current_datetime>\n\nTake the pears.'],
	])("the user's words have no note that the agent added %s", (_, content) => {
		const source = createSource(row, { id: 'm3', role: 'user', content });
		expect(source).toMatchObject({ isInjected: false, isRecap: false });
		expect(source.text.trim()).toBe('Take the pears.');
	});

	it.each([
		['a reminder', `${reminder}\n${reminder}`],
		['an unclosed reminder', '<system-reminder>\nThe list of tasks is empty.'],
		['the environment of Cline', '<environment_details>\n# Open tabs\n</environment_details>'],
		['a skill after a reminder', `${reminder}\nBase directory for this skill: /skills/rhymes`],
	])('a message that is only %s is injected, and no recap', (_, content) => {
		const source = createSource(row, { id: 'm3', role: 'user', content });
		expect(source).toMatchObject({ isInjected: true, isRecap: false });
	});

	it('the skills that Codex lists have no manual of skills', () => {
		const content =
			'# AGENTS.md instructions for /srv\n<INSTRUCTIONS>\n### Available skills\n- rhymes: Find rhymes.\n### How to use skills\n- Open the file.\n- Read it.\n</INSTRUCTIONS>';
		const { text } = createSource(row, { id: 'm3', role: 'user', content });
		expect(text).toContain('- rhymes: Find rhymes.');
		expect(text).not.toContain('Open the file');
		expect(text).toContain('</INSTRUCTIONS>');
	});

	it.each([
		'Why does the page show <system-reminder> to users? Remove <system-reminder> tags.',
		'Why does the page show <system-reminder>Stop.</system-reminder>',
		'Escape this text:\n<environment_context>\n<cwd>/srv</cwd>\n</environment_context>\nIt breaks the page.',
		'<current_datetime>\nis not closed',
	])('words about a note stay whole: %j', (content) => {
		expect(createSource(row, { id: 'm3', role: 'user', content }).text).toBe(content);
	});

	it('the cost of notes grows linearly', () => {
		const note = '<system-reminder>\nThe list of tasks is empty.\n</system-reminder>\n';
		const texts = [`Go on.\n${note.repeat(20_000)}`, `${'<system-reminder>\n'.repeat(50_000)}Go on.`];
		const spent = processorClock();
		for (const content of texts) createSource(row, { id: 'm3', role: 'user', content });
		expect(spent()).toBeLessThan(1000 * machineSlowness());
	});

	it.each([
		[
			'of Codex about its mode',
			'<collaboration_mode># Harvest Mode\n\nAll pears are counted before any plum is picked from its tree.</collaboration_mode>',
			'<collaboration_mode># Default Mode\n\nThe rules of the harvest have ended, and every plum may be picked.</collaboration_mode>',
		],
		[
			'of Codex about its sandbox',
			'<permissions instructions>\nThe shed is read-only.\n</permissions instructions>',
			'<permissions instructions>\nThe shed may be written.\n</permissions instructions>',
		],
		[
			'of Claude Code about its plan mode',
			'<system-reminder>\nPlan mode is active. No pear may be picked before the plan is approved.\n</system-reminder>',
			'<system-reminder>\n## Exited Plan Mode\n\nThe pears may be picked now.\n</system-reminder>',
		],
	])('a message %s is left out if a later one replaces it', (_, before, after) => {
		const [old, current] = [user(2, before, { isInjected: true }), user(4, after, { isInjected: true })];
		const talk = [user(1, 'Count the pears.'), assistant(3, 'There are nine pears in the shed.')];
		const text = summaryOf([...talk, old, current].sort((a, b) => a.seq - b.seq));
		expect(text).toContain('[#4 injected]');
		expect(text).not.toContain('[#2 injected]');
		expect(summaryOf([...talk, old])).toContain('[#2 injected]');
		expect(summaryOf([...talk, old], 2000, { visible: [current] })).not.toContain('[#2 injected]');
	});

	it('a reminder stays if the next one is about something else', () => {
		const reminders = [2, 4].map((seq) =>
			user(seq, `<system-reminder>\nThe file pears${seq}.txt has changed.\n</system-reminder>`, {
				isInjected: true,
			}),
		);
		const text = summaryOf([user(1, 'Count.'), reminders[0]!, assistant(3, 'Nine.'), reminders[1]!]);
		expect(text).toContain('pears2.txt');
	});

	it.each([
		['that a task goes on', '<event>page 3 of 9 was read</event>', false],
		['that a task is done', '<status>completed</status>', false],
		['that a task failed', '<status>failed</status>', true],
		['what a sub-agent found', '<result>The pears are in the cellar.</result>', true],
	])('a notice of Claude Code %s is shown only if it reports something', (_, content, isShown) => {
		const text = `<task-notification>\n<task-id>b1</task-id>\n${content}\n</task-notification>`;
		expect(isAboutClient(text)).toBe(!isShown);
	});
});
