import { expect, it } from 'vitest';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { formatNames } from '../../../server/core/format/names.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { rendered } from '../../support/rendered.ts';
import { appendedEntries } from './history.ts';

const ids = Array.from({ length: 45_000 }, (_, index) => `c${index}`);
const entries = appendedEntries('contextd', [
	{ role: 'user', content: 'Do all of it.' },
	{ role: 'assistant', content: '', toolCalls: ids.map((id) => ({ id, name: 'run', args: {} })) },
	...ids.map((toolCallId) => ({ role: 'tool', content: 'ok', toolCallId })),
]);

it.each(formatNames)('an answer with thousands of calls is rendered in linear time: %s', (format) => {
	const spent = processorClock();
	rendered(getFormatAdapter(format), entries);
	expect(spent()).toBeLessThan(4000 * machineSlowness());
});
