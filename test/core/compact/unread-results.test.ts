import { expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { shellFormats } from './result-candidates.ts';
import { summaryOf } from './summaries.ts';

const berths = Array.from({ length: 40 }, (_, index) => index);

it.each(shellFormats)(
	'a result keeps more lines as long as the agent has not answered it: %s',
	(_, name, argument) => {
		const list = (seq: number, area: string, lines: readonly string[]): Source[] => {
			const made = call(name, { [argument]: `./list-${area}` });
			return [assistant(seq, '', made), result(seq + 1, made, lines.join('\n'))];
		};
		const session = [
			user(0, 'Compare the berths.'),
			...list(
				1,
				'north',
				berths.map((one) => `northBerth${one} northCrane${one} northQuay${one}`),
			),
			...list(
				3,
				'south',
				berths.map((one) => `a free berth for ships with little draught is southBerth${one}`),
			),
		];
		const countSouth = (sources: readonly Source[]): number =>
			[...summaryOf(sources, 300).matchAll(/southBerth\d/g)].length;
		expect(countSouth(session)).toBeGreaterThan(countSouth([...session, assistant(5, '')]));
	},
);
