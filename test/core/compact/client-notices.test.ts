import { expect, it } from 'vitest';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

it.each([
	[
		'ToolSearch',
		{ query: 'select:mcp__harbour__tides', max_results: 1 },
		'[tool reference mcp__harbour__tides]',
	],
	['tool_search', { query: 'tides' }, 'Loaded 2 tools: harbour_tides, harbour_lamps'],
])('a call of %s, which only loads tools, is not shown', (name, args, output) => {
	const search = call(name, args);
	const text = summaryOf(
		[
			user(1, 'When is the tide?'),
			assistant(2, 'I look at the tide table.', search),
			result(3, search, output),
			assistant(4, 'The tide is at 14:20.'),
		],
		4000,
	);
	expect(text).toContain('14:20');
	expect(text).not.toContain(name);
	expect(text).not.toContain(output);
});

it.each([
	"You've hit your limit · resets 11pm (Europe/Berlin)",
	'You’ve hit your weekly limit · resets Oct 9, 6pm',
	'5-hour limit reached ∙ resets 3pm',
])('a notice of a limit is no content: %s', (notice) => {
	const text = summaryOf(
		[
			user(1, 'When is the tide?'),
			assistant(2, notice),
			user(3, 'Continue from where you left off.', { isInjected: true }),
			assistant(4, 'The tide is at 14:20.'),
		],
		4000,
	);
	expect(text).toContain('14:20');
	expect(text).not.toMatch(/limit|left off/);
});

it('a user who asks to continue is quoted', () => {
	const text = summaryOf([
		user(1, 'When is the tide?'),
		user(2, 'Continue from where you left off.'),
		assistant(3, 'At 14:20.'),
	]);
	expect(text).toContain('[#2 user] Continue from where you left off.');
});
