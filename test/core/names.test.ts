import { expect, it } from 'vitest';
import { formatAdapter } from '../../server/core/format/formats.ts';
import { formatNames } from '../../server/core/format/names.ts';
import { agents } from '../../server/core/transcript/agents.ts';
import { agentNames } from '../../server/core/transcript/names.ts';

it('the agents that the daemon names are those whose transcripts it reads', () => {
	expect(agentNames).toEqual(agents.map(({ name }) => name));
});

it('the formats that the daemon names are those that it reads and writes', () => {
	expect(formatNames.map((name) => formatAdapter(name).name)).toEqual(formatNames);
});
