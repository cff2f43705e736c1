import { asFields } from '../../values.ts';
import { clineTask, createClineReader, createTaskHome, taskCompanion } from '../cline/agent.ts';
import { hasProtocolName } from '../cline/figures.ts';
import { rooLimit } from '../cline/limit.ts';
import { listSampleMessages } from '../messages/arrays.ts';
import type { Agent } from '../reading/agent.ts';

const rooFields = ['condenseId', 'condenseParent', 'truncationId', 'truncationParent', 'isTruncationMarker'];

/** `api_conversation_history.json` of Roo Code: Cline's format, with tags for replaced messages. */
export const rooTask: Agent = {
	name: 'roo-code',
	label: 'Roo Code',
	tools: clineTask.tools,
	detect: (sample) =>
		sample.records.some(hasProtocolName) ||
		listSampleMessages(sample).some((message) => {
			const { role, ...rest } = asFields(message);
			if (typeof role !== 'string' || typeof rest.ts !== 'number') return false;
			return rest.isSummary !== undefined || rooFields.some((field) => rest[field] !== undefined);
		}),
	createReader: createClineReader,
	limit: rooLimit,
	companion: taskCompanion,
	homes: [createTaskHome('rooveterinaryinc.roo-cline'), createTaskHome('kilocode.kilo-code')],
};
