/** The limit of a session that mirrors another agent's transcript. */

import { liveSteps } from '../core/history/state.ts';
import { lookupModel } from '../core/models/registry.ts';
import { isForm, limitOf } from '../core/transcript/limits.ts';
import type { AgentLimit } from '../core/transcript/reading/limit.ts';
import type { Session } from './session.ts';

/**
 * Where the agent that a session mirrors makes room by itself; undefined where contextd does. What the user says of
 * the window comes first, then what the agent says and did in the session.
 * @param of the model that is asked for, which may be another one than the session's own
 */
export function agentLimit(
	{ state, world }: Session,
	{ provider, model }: { provider: string; model: string },
): AgentLimit | undefined {
	const { info } = state;
	if (info.source === undefined || isForm(info.source)) return undefined;
	const isOwn = provider === info.provider && model === info.model;
	const { models } = world.settings();
	const known = lookupModel(provider, model, { ...(isOwn && { contextWindow: info.contextWindow }), models });
	const isChosen = known.contextWindowSource === 'client' || known.contextWindowSource === 'settings';
	const { statedWindow, agentSettings } = info;
	return limitOf(info.source, {
		provider,
		...(model !== '' && { model }),
		...(isChosen && { chosenWindow: known.contextWindow }),
		...(isOwn && { statedWindow, answered: state.answered, compactedAt: compactedAt(state) }),
		...agentSettings,
	});
}

/** What the session held when the agent last compacted by itself, as it says. Tokens. */
function compactedAt(state: Session['state']): number | undefined {
	const told = liveSteps(state).findLast(({ receipt }) => receipt?.told)?.receipt?.told;
	return told?.trigger === 'auto' ? told.tokensBefore : undefined;
}
