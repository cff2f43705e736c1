import { expect, it } from 'vitest';
import { assistant, call, done, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

it.each(['Agent', 'Task', 'spawn_agent'])(
	'the prompt of another agent and its answer have different labels: %s',
	(name) => {
		const rows = Array.from({ length: 12 }, (_, row) => `    gauge_of_pier_${row}: int = ${14 + row}`);
		const prompt = `Write the class of the gauges.\n\nclass Gauge:\n${rows.join('\n')}\n`;
		const text = summaryOf(
			[
				user(1, 'Chart the gauges.'),
				...done(2, [
					call(name, { description: 'Write gauges', prompt }),
					'gauge_table = tides.north\nrows = 12',
				]),
				assistant(4, 'It is written.'),
			],
			4000,
		);
		expect(text).toMatch(/^\[#2 \w+ prompt\] [^[]*gauge_of_pier/m);
		expect(text).toMatch(/^\[#3 \w+\] [^[]*gauge_table/m);
	},
);

it('the further output of a running command has the label of the command', () => {
	const started = call('exec_command', { cmd: 'make tides' });
	const poll = call('write_stdin', { session_id: 48, chars: '', yield_time_ms: 120000 });
	const lines = Array.from({ length: 60 }, (_, row) => `gauge_of_pier_${row} = ${14 + row}`).join('\n');
	const text = summaryOf(
		[
			user(1, 'Make the tides.'),
			assistant(2, 'I make them.', started),
			result(3, started, 'Chunk ID: f0\nProcess running with session ID 48\nOutput:\nstart_of_tides = 3'),
			assistant(4, '', poll),
			result(5, poll, `Chunk ID: f1\nProcess running with session ID 48\nOutput:\n${lines}`),
			assistant(6, 'They are being made.'),
		],
		4000,
	);
	expect(text).toMatch(/^\[#5 exec_command\] [^[]*gauge_of_pier/m);
	expect(text).not.toContain('write_stdin');
});
