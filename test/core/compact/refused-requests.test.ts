import { describe, expect, it } from 'vitest';
import { assistant, call, done, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const request = 'Yes, cancel the booking K7Q2.';

/** Returns the line with the request after this answer. */
function requestAfter(answer: string): string | undefined {
	const text = summaryOf([user(1, request), assistant(2, answer), user(3, 'And the ferry on Sunday?')], 3000);
	return text.split('\n').find((line) => line.startsWith('[#1 user]'));
}

describe('requests that the agent refused', () => {
	it.each([
		'I apologize, but I cannot cancel the booking after its departure.',
		"I'm sorry, I’m not able to cancel this fare.",
		'Unfortunately, I am unable to refund a used ticket.',
		'Leider kann ich diese Buchung nicht stornieren.',
		'抱歉，我无法取消这个订单。',
		'申し訳ございませんが、取り消しはできません。',
	])('a request has the words in which the agent refused it: %s', (refusal) => {
		expect(requestAfter(`${refusal} It left at noon.`)).toContain(`${request} → #2: ${refusal}`);
	});

	it.each([
		'The booking is cancelled.',
		'I can’t find a booking for Monday, so I cancelled the one for Sunday.',
		'The ferry cannot turn in the harbour.',
	])('an answer that refuses nothing is not shown with the request: %s', (answer) => {
		expect(requestAfter(answer)).not.toContain('→ #2');
	});

	it.each([
		"Done. I can't run the simulator here, but the button is in place.",
		"I can't use the old script, so I deployed with make.",
		'I cannot break it even with ten parallel runs.',
		"I can't believe how many queries it made.",
	])('a limitation in a report of work is no refusal: %s', (answer) => {
		expect(requestAfter(answer)).not.toContain('→ #2');
	});

	it('an answer after work, or to two messages, refuses nothing that is known', () => {
		const edit = call('Edit', { file_path: 'a.ts', old_string: 'one', new_string: 'two' });
		const worked = [user(1, request), ...done(2, [edit, 'done']), assistant(4, 'I cannot test it here.')];
		expect(summaryOf([...worked, user(5, 'Thanks.')], 3000)).not.toContain('→ #4');
		const two = [
			user(1, request),
			user(2, 'And drop the backup.'),
			assistant(3, 'I cannot drop the backup.'),
		];
		expect(summaryOf([...two, user(4, 'Fine.')], 3000)).not.toContain('→ #3');
	});

	it('the refusal may follow lookups', () => {
		const lookup = call('get_booking', { id: 'K7Q2' });
		const text = summaryOf(
			[
				user(1, request),
				...done(2, [lookup, '{"id":"K7Q2","fare":"basic"}']),
				assistant(4, 'I cannot cancel a basic fare.'),
				user(5, 'Then upgrade it.'),
			],
			3000,
		);
		expect(text).toContain(`${request} → #4: I cannot cancel a basic fare.`);
	});
});
