import { expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { readMessage, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const draft = {
	draft: {
		order_id: 'F-2041',
		items: [
			{ item_id: '7781', name: 'Lantern', options: { colour: 'red', light: 'dim' }, price: 40 },
			{ item_id: '7790', name: 'Rope', options: { colour: 'blue', length: '9 m' }, price: 12 },
		],
	},
	question: 'Please confirm that you want both items.',
};

const answerOf = (seq: number, content: string): Source => readMessage(seq, 'assistant', content);

it('each object in an answer in JSON is shown with its own members', () => {
	const text = summaryOf([
		user(1, 'Exchange them.'),
		answerOf(2, JSON.stringify(draft, undefined, 2)),
		user(3, 'Only the rope, please.'),
	]);
	expect(text).toContain('{item_id 7781, name Lantern, options {colour red, light dim}, price 40}');
	expect(text).toContain('{item_id 7790, name Rope, options {colour blue, length 9 m}, price 12}');
	expect(text).toContain('Please confirm that you want both items.');
});

it('an answer that only begins like JSON stays as it is', () => {
	const answer =
		'[Draft] The rope costs 12, and the lantern costs 40, which is more than the guest wants to pay.';
	expect(answerOf(2, answer).text).toBe(answer);
});

it('the label that an agent writes before its thoughts is left out', () => {
	expect(answerOf(2, 'THOUGHT: The rope is too short.').text).toBe('The rope is too short.');
	expect(answerOf(2, 'The thought: the rope is too short.').text).toBe('The thought: the rope is too short.');
});
