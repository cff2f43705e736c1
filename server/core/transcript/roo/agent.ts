import { asFields } from '../../values.ts';
import { clineTask, createClineReader, createTaskHome, taskCompanion } from '../cline/agent.ts';
import { hasProtocolName } from '../cline/figures.ts';
import { listMessages } from '../messages/arrays.ts';
import type { Agent } from '../reading/agent.ts';
import { assumeWindow, createLimit, type LimitRule } from '../reading/limit.ts';

/** Share of the window that Roo Code keeps free in addition to the answer. */
const rooBufferShare = 0.1;
/** Maximum share of the window that Roo Code reserves for the answer. */
const maxRooAnswerShare = 0.2;

/**
 * The limit of a Roo Code task: nine tenths of the window minus the answer, which has 8,192 tokens, but at most a fifth
 * of the window.
 */
const rooLimit: LimitRule = (evidence) => {
	const assumedWindow = assumeWindow(evidence);
	const { window } = assumedWindow;
	const answerTokens = Math.min(window * maxRooAnswerShare, 8_192);
	return createLimit(assumedWindow, window * (1 - rooBufferShare) - answerTokens);
};

const rooFields = ['condenseId', 'condenseParent', 'truncationId', 'truncationParent', 'isTruncationMarker'];

/** `api_conversation_history.json` of Roo Code: Cline's format, with tags for replaced messages. */
export const rooTask: Agent = {
	name: 'roo-code',
	label: 'Roo Code',
	tools: clineTask.tools,
	recognizes: (record) =>
		hasProtocolName(record) ||
		listMessages(record).some((message) => {
			const { role, ...rest } = asFields(message);
			if (typeof role !== 'string' || typeof rest.ts !== 'number') return false;
			return rest.isSummary !== undefined || rooFields.some((field) => rest[field] !== undefined);
		}),
	createReader: createClineReader,
	limit: rooLimit,
	companion: taskCompanion,
	homes: [createTaskHome('rooveterinaryinc.roo-cline'), createTaskHome('kilocode.kilo-code')],
};
