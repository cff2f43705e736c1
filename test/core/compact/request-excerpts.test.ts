import { expect, it } from 'vitest';
import { excerptRequest } from '../../../server/core/analysis/user/requestExcerpt.ts';

const report =
	'┌──────────────┐\n│ TIDE REPORT  │\n└──────────────┘\n Gauge   State\n ━━━━━━━━━━━━━━\n North   wet\n ──────────────';

it('the excerpt of a request that begins with a framed report shows the words below it', () => {
	expect(excerptRequest(`${report}\n\nThe north gauge is wet. Fix its cover.`)).toBe(
		'… The north gauge is wet. Fix its cover.',
	);
	expect(excerptRequest(report)).toContain('TIDE REPORT');
});

it('the excerpt of a vision goes on with its next sentence, not with an order about a detail', () => {
	const vision = 'I have an idea. The idea is of an application which plans tides. Call it Ebb.';
	const map = 'It is a map on which gauges are placed.';
	expect(
		excerptRequest(`${vision}\n\n${map}\n\nGauges have notes.\n\nShow the note at the top of the gauge.`),
	).toBe(`${vision} ${map} …`);
	expect(excerptRequest('The tool which plans tides is slow.\n\nFix its cache.')).toBe(
		'The tool which plans tides is slow. Fix its cache.',
	);
});

it('the excerpt of a request below pasted guidelines shows the request', () => {
	const guidelines =
		'This is a map of the port.\n\n## Project guidelines\n\n- Run `make tides` when you are done.\n\n### Tests\n\n- Add them.';
	const task = 'The gauges have no names. Add a column with the name of each gauge.';
	expect(excerptRequest(`${guidelines}\n\n${task}`)).toBe(`… ${task}`);
	const alter = 'Alter the map such that each gauge has a name. Only touch `gauges.ts`.';
	expect(excerptRequest(`${guidelines}\n\n\n${alter}`)).toBe(`… ${alter}`);
	for (const end of ['- Never move a gauge, please.', 'Please never move a gauge.', 'The port is small.'])
		expect(excerptRequest(`${guidelines}\n\n${end}`)).toContain('This is a map of the port.');
	expect(excerptRequest(`Draw the map.\n\n## Gauges\n\nThey are wet.\n\n${task}`)).toContain('Draw the map.');
});
