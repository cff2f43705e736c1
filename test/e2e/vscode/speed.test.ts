import { describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { packExtension } from './pack.ts';
import { missingOf, toolsOf } from './tools.ts';
import { measureSpeed, type Waits } from './tour/speed.ts';

/** Packed extensions to compare with this extension, separated by commas; empty for none. */
const otherPackages = process.env.CONTEXTD_SPEED;

function median(values: readonly number[]): number {
	const sorted = values.toSorted((left, right) => left - right);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Returns a line for each measured wait: the median, and all times. */
function linesOf(waits: Waits): string[] {
	return Object.entries(waits).map(([name, values]) => {
		const all = values.map((value: number) => Math.round(value)).join(', ');
		return `  ${name}: ${Math.round(median(values))} ms (${all})`;
	});
}

describe.skipIf(otherPackages === undefined || missingOf('workbench') !== null)(
	'the speed of the extension',
	{ ...needs('npm run tour, which measures it'), timeout: 1_800_000 },
	() => {
		it('measures what a person waits for, next to the other packages', async () => {
			for (const each of [
				await packExtension('speed'),
				...(otherPackages ?? '').split(',').filter(Boolean),
			]) {
				const waits = await measureSpeed(toolsOf('workbench'), each);
				console.log([each, ...linesOf(waits)].join('\n'));
				expect(Math.min(...Object.values(waits).flat())).toBeGreaterThan(0);
			}
		});
	},
);
