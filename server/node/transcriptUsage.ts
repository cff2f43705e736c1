import { detectAgent, sampleRecords } from '../core/transcript/agents.ts';
import { transcriptEnd } from '../core/transcript/end.ts';
import { limitOf } from '../core/transcript/limits.ts';
import type { TranscriptUsage } from '../protocol/transcript.ts';
import { readAgentSettings } from './transcript/agentSettings/agentSettings.ts';
import type { Surroundings } from './transcript/discover/surroundings.ts';
import { readEnds } from './transcript/ends.ts';

/** How full the context of a transcript is, by its ends; undefined where it is kept in no file of lines. */
export function usageOf(path: string, around: Surroundings): TranscriptUsage | undefined {
	if (!path.endsWith('.jsonl')) return undefined;
	const ends = readEnds(path, ({ records }) => detectAgent({ records: records.slice(0, sampleRecords) }));
	if (ends === undefined) return undefined;
	const { agent, start, end } = ends;
	const { provider, model, contextWindow: statedWindow, cwd } = end.info;
	const { tokens, answered, compactedAt } = transcriptEnd(end, start);
	const settings = readAgentSettings(agent.settings, around, start.info.cwd ?? cwd);
	const evidence = { provider, model, statedWindow, answered, compactedAt, ...settings };
	return { tokens, limit: limitOf(agent.name, evidence).tokens };
}
