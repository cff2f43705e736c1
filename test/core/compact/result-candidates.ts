/** Finds the candidates of a call and its result. */

import { collectOutcomes } from '../../../server/core/analysis/calls/outcomes.ts';
import { type Candidate, createAnalysisCache } from '../../../server/core/analysis/message/analyses.ts';
import {
	collectCandidates,
	type PlacedCandidate,
} from '../../../server/core/analysis/passages/candidates.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, result, user } from './facts-sources.ts';

/** Agents, each with the name of its shell tool and of the argument with the command. */
export const shellFormats = [
	['Claude Code', 'Bash', 'command'],
	['Codex', 'exec_command', 'cmd'],
	['OpenHands', 'execute_bash', 'command'],
] as const;

function collectPlaced(made: ToolCall, output: string, failed: boolean): PlacedCandidate[] {
	const sources = [user(1, 'Go.'), assistant(2, '', made), result(3, made, output, failed)];
	const cache = createAnalysisCache();
	const outcomes = runToEnd(collectOutcomes(sources, cache));
	return runToEnd(
		collectCandidates(sources, {
			outcomes,
			undone: new Map(),
			unread: new Set(),
			cache,
		}),
	);
}

/** Returns the candidates of the result of a call that did not fail. */
export function candidatesOfResult(made: ToolCall, output: string): Candidate[] {
	return collectPlaced(made, output, false)
		.filter(({ messageIndex }) => messageIndex === 2)
		.map(({ candidate }) => candidate);
}

/** Returns the score of the line of a call that failed; 0 if there is none. */
export function scoreFailedCall(made: ToolCall, output: string): number {
	return (
		collectPlaced(made, output, true).find(({ messageIndex }) => messageIndex === 1)?.candidate.score ?? 0
	);
}
