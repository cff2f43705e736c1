import { getOrInsert } from '../../getOrInsert.ts';
import { isFields } from '../../shape.ts';
import { filterInSlices, mapInSlices, type SlicedTask } from '../../slices.ts';
import { mergeTurnsOfRole, setBlocks, type WireTurn } from '../wire/turns.ts';
import { getFunctionCall, getFunctionResponse } from './parts.ts';

/** A wire part, and the id of the call that it makes or answers. */
export interface TurnPart {
	part: unknown;
	callId?: string;
	answeredCallId?: string;
}

/** A Gemini `Content` under construction. */
export type GeminiTurn = WireTurn<'user' | 'model', TurnPart>;

/** Inserted as the user's first turn if a history begins with the model, which the API refuses. */
const openingTurn: GeminiTurn = { role: 'user', blocks: [{ part: { text: '(conversation continues)' } }] };

function isEmptyText({ part }: TurnPart): boolean {
	if (!isFields(part) || part.text !== '') return false;
	return part.thoughtSignature === undefined && part.thought_signature === undefined;
}

/** Returns the member of a `Content` that contains its parts. */
function createPartsMember(slots: readonly TurnPart[]): { parts: unknown[] } {
	return { parts: slots.map((slot) => slot.part) };
}

/** Renames a response to the name of its call, which clients may omit or change. */
function renameResponse(call: TurnPart, answer: TurnPart): TurnPart {
	const { part } = answer;
	const name = getFunctionCall(call.part)?.name;
	const response = getFunctionResponse(part);
	if (!isFields(part) || response === undefined || response.name === name) return answer;
	const field = isFields(part.functionResponse) ? 'functionResponse' : 'function_response';
	return { ...answer, part: { ...part, [field]: { ...response, name } } };
}

/** Moves responses to the front, named and ordered like their calls. Parts without ids are paired only by order. */
function orderResponses(turn: GeminiTurn, callTurn: GeminiTurn | undefined): GeminiTurn {
	const responsesById = new Map<string, TurnPart[]>();
	for (const slot of turn.blocks) {
		if (slot.answeredCallId === undefined) continue;
		getOrInsert(responsesById, slot.answeredCallId, () => []).push(slot);
	}
	if (responsesById.size === 0) return turn;
	const orderedResponses: TurnPart[] = [];
	const placedResponses = new Set<TurnPart>();
	for (const call of callTurn?.blocks ?? []) {
		const answer = call.callId === undefined ? undefined : responsesById.get(call.callId)?.shift();
		if (!answer) continue;
		placedResponses.add(answer);
		orderedResponses.push(renameResponse(call, answer));
	}
	const unmatchedResponses = turn.blocks.filter(
		(slot) => slot.answeredCallId !== undefined && !placedResponses.has(slot),
	);
	const otherParts = turn.blocks.filter((slot) => slot.answeredCallId === undefined);
	return setBlocks(turn, [...orderedResponses, ...unmatchedResponses, ...otherParts], createPartsMember);
}

/**
 * Adjusts turns to the Gemini API: alternating roles, the user first, responses first, named and
 * ordered like their calls, no empty texts. Turns that already comply are unchanged.
 */
export function* normalizeGeminiTurns(turns: readonly GeminiTurn[]): SlicedTask<GeminiTurn[]> {
	const cleanedTurns = yield* mapInSlices(turns, (turn) =>
		setBlocks(
			turn,
			turn.blocks.filter((slot) => !isEmptyText(slot)),
			createPartsMember,
		),
	);
	const filledTurns = yield* filterInSlices(cleanedTurns, (turn) => turn.blocks.length > 0);
	const mergedTurns = yield* mergeTurnsOfRole(filledTurns, createPartsMember);
	const orderedTurns = yield* mapInSlices(mergedTurns, (turn, index) =>
		turn.role === 'user' ? orderResponses(turn, mergedTurns[index - 1]) : turn,
	);
	return orderedTurns[0]?.role === 'model' ? [openingTurn, ...orderedTurns] : orderedTurns;
}
