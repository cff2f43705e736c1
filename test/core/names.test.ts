import { expect, it } from 'vitest';
import { getFormatAdapter } from '../../server/core/format/formats.ts';
import { formatNames } from '../../server/core/format/names.ts';
import { agents } from '../../server/core/transcript/agents.ts';
import { agentNames } from '../../server/core/transcript/names.ts';

it('names.ts lists exactly the agents that have transcript readers', () => {
	expect(agentNames).toEqual(agents.map(({ name }) => name));
});

it('names.ts lists exactly the formats that have adapters', () => {
	expect(formatNames.map((name) => getFormatAdapter(name).name)).toEqual(formatNames);
});
