import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { assistant, call, readResult, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

type Format = (value: object) => ChatMessage['content'];

const formats: [name: string, format: Format][] = [
	['JSON', (value) => JSON.stringify(value)],
	['indented JSON', (value) => JSON.stringify(value, null, 2)],
	['a content part of MCP', (value) => [{ type: 'text', text: JSON.stringify(value) }]],
];

const ids = ['#V7701', '#V7702', '#V7703', '#V7704', '#V7705'];

function createVisit(visit_id: string, state: string) {
	const index = ids.indexOf(visit_id);
	return {
		visit_id,
		room: `room ${index}, left wing`,
		physician: `physician number ${index}`,
		state,
		treatments: Array.from({ length: 8 }, (_, number) => ({
			name: `treatment ${index}-${number} for the shoulder`,
			minutes: 10 + number,
			fee: 30 * index + number,
		})),
	};
}

/** Appends a call with its result to a session. */
function append(sources: Source[], tool: string, args: object, content: ChatMessage['content']): void {
	const made = call(tool, args);
	const seq = sources.length + 1;
	sources.push(assistant(seq, '', made), readResult(seq + 1, made, content));
}

/** Returns a session that looks up visits and then changes one or books a new one, before other matters are discussed. */
function changeVisit(format: Format, tool: string, visit: string): Source[] {
	const sources: Source[] = [user(1, 'Which visits do I have? I cannot come to one of them.')];
	for (const id of ids.slice(0, 4))
		append(sources, 'get_visit', { visit: id }, format(createVisit(id, 'planned')));
	append(sources, tool, { patient: 'Maja Lind' }, format(createVisit(visit, 'confirmed by the desk')));
	sources.push(assistant(12, 'Done.'), user(13, 'What does the canteen offer today?'));
	for (let seq = 14; seq < 40; seq++)
		sources.push(
			assistant(
				seq,
				`The canteen offers dish number ${seq} because the cook has ${seq + 3} kilograms of it.`,
			),
		);
	return sources;
}

describe.each(formats)('a record that a call changed, in %s', (_, format) => {
	it.each(['book_visit', 'mcp__clinic__bookVisit', 'visits.book'])(
		'is shown by a small summary after other matters, although no message names it: %s',
		(tool) => {
			const records = sectionIn(summaryOf(changeVisit(format, tool, '#V7705'), 180), 'records');
			expect(records).toContain('#V7705');
			expect(records).toContain('confirmed by the desk');
		},
	);

	it('is shown only in its newest version, under the label of the change', () => {
		const records = sectionIn(summaryOf(changeVisit(format, 'confirm_visit', '#V7702'), 3000), 'records');
		const [, ofChange = ''] = records.split(/^(?=\[#11 )/m);
		expect(ofChange).toContain('treatment 1-7 for the shoulder');
		expect(records.split('treatment 1-7 for the shoulder')).toHaveLength(2);
	});
});
