import { describe, expect, it } from 'vitest';
import { assistant, call, readMessage, result } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const message = (name: string, body: string, summary = ''): string =>
	`<teammate-message teammate_id="${name}" color="pink"${summary && ` summary="${summary}"`}>\n${body}\n</teammate-message>`;
const idle = message('dev-ida', '{"type":"idle_notification","from":"dev-ida","idleReason":"available"}');
const review = message(
	'reviewer-jo',
	'The tariff review failed: you must never round before the total is known in `tariff.ts`.',
	'Review of the tariff -> done',
);
const end = message('system', '{"type":"teammate_terminated","message":"dev-ida has shut down."}');

const task = call('TaskCreate', { subject: 'Write the tariff' });
const session = [
	readMessage(1, 'user', 'Build the tariff with a team.'),
	assistant(2, '', task),
	result(3, task, 'Task #1 created successfully: Write the tariff'),
	assistant(4, 'The team works.'),
	readMessage(5, 'user', `${review}\n\n${idle}`),
	assistant(6, 'I will pass it on.'),
	readMessage(7, 'user', `${idle}\n\n${end}`),
	assistant(8, 'The team is smaller now.'),
];

describe('messages of other agents of a team', () => {
	const text = summaryOf(session);

	it('are no request and no rule of the user', () => {
		expect(text).toContain('Goal (#1): Build the tariff with a team.');
		expect(text).not.toContain('Current request');
		expect(sectionIn(text, 'rules')).toBe('');
	});

	it('name the agent that reports', () => {
		expect(text).toMatch(/\[#5 team: reviewer-jo\] .*reviewer-jo: Review of the tariff -> done/);
		expect(text).toContain('never round before the total is known');
	});

	it('have the agent in their label, also if a message has reports of several', () => {
		const both = message('dev-ida', 'The tariff is done: `tariff.ts` rounds once at the end.');
		const twoReports = [...session.slice(0, 4), readMessage(5, 'user', `${review}\n\n${both}`)];
		const summary = summaryOf(twoReports);
		expect(summary).toMatch(/\[#5 team: reviewer-jo\] [^[]*never round before the total is known/);
		expect(summary).toMatch(/\[#5 team: dev-ida\] [^[]*rounds once at the end/);
	});

	it('are left out if they only say that an agent waits', () => expect(text).not.toContain('idle'));

	it('show the words of a notice', () => expect(text).toContain('dev-ida has shut down.'));

	it('make the plan one that others may have changed', () => {
		expect(sectionIn(text, 'plan')).toMatch(
			/^- \(other agents of the team may have changed these items\)\n- /,
		);
		expect(summaryOf(session.slice(0, 4))).not.toContain('other agents');
	});

	it('leave the words of the user that follow', () => {
		const words = 'Stop. Never edit tariff.ts before I have seen it.';
		const both = summaryOf([
			...session,
			readMessage(9, 'user', `${idle}\n\n${words}`),
			assistant(10, 'I stop.'),
		]);
		expect(both).toContain(`Current request (#9): ${words}`);
	});

	it('tell what an agent has to do', () => {
		const assignment = message(
			'lead',
			'{"type":"task_assignment","subject":"Draw the pier","description":"With its lamps."}',
		);
		const told = summaryOf([...session, readMessage(9, 'user', assignment), assistant(10, 'It draws.')]);
		expect(told).toContain('Draw the pier');
	});
});
