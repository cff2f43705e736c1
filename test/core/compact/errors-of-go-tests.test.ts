import { expect, it } from 'vitest';
import { ran, summaryOf } from './summaries.ts';

const output = [
	'--- FAIL: TestFerryTimetable (0.44s)',
	'    timetable_test.go:38: Night ferries should be on the list now',
	'    timetable_test.go:79: The harbour has no ice',
	'running the pilot boat',
	'    timetable_test.go:101: Expected 2 ferries, got 0',
	'--- FAIL: TestPilotBoat (0.16s)',
	'    pilot_test.go:12: Expected a pilot, got nil',
	'FAIL',
	'FAIL	example.com/ferry	0.61s',
].join('\n');

it('the reason of a failed Go test is its last line, not a line of its log', () => {
	const text = summaryOf(ran(['go test ./ferry', `Exit code 1\n${output}`, true]), 2000);
	expect(text).toContain('exit 1: timetable_test.go:101: Expected 2 ferries, got 0');
	expect(text).not.toContain('exit 1: timetable_test.go:38');
});

it('the reason of failed Go tests is a message, not a frame of a stack or a place', () => {
	const ginkgo = [
		'• [PANICKED] [0.000 seconds]',
		'Full Stack Trace',
		'    harbour/quay.Listen({0x104fa0ac0, 0x104f9bfd0})',
		'    \t/opt/lib/harbour/quay/listen.go:107 +0x28',
		'• [FAILED] [0.002 seconds]',
		'  [FAILED] in [It] - /srv/ferry/berth.go:298 @ 06/02/26 11:31:23.228',
		'  [FAILED] Unexpected call to *mock.Pier.Moor at /srv/ferry/berth.go:298',
		'--- FAIL: TestBerth (0.01s)',
		'FAIL\texample.com/ferry\t0.2s',
	].join('\n');
	const text = summaryOf(ran(['go test ./...', `Exit code 1\n${ginkgo}`, true]), 2000);
	expect(text).toContain('go test ./...: exit 1: [FAILED] Unexpected call to *mock.Pier.Moor');
	expect(text).not.toContain('exit 1: /opt/lib');
});

it.each(['[lint] Finished in 4.5ms', 'Done in 3.2s.', 'Finished in 4.44s'])(
	'a line about the time of a passed check does not hide its outcome: %s',
	(time) => {
		const text = summaryOf(ran(['mise run lint', `0 issues.\n${time}\n${time}`]), 950);
		expect(text).toContain('- mise run lint: 0 issues. (#3)');
	},
);
