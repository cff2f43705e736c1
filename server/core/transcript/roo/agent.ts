import { clineReader, clineTask, taskCompanion, taskHomeOf } from '../cline/agent.ts';
import { namesProtocol } from '../cline/figures.ts';
import { rooLimit } from '../cline/limit.ts';
import { sampleMessages } from '../messages/arrays.ts';
import type { Agent } from '../reading/agent.ts';
import { fieldsOf } from '../reading/values.ts';

const rooFields = ['condenseId', 'condenseParent', 'truncationId', 'truncationParent', 'isTruncationMarker'];

/** `api_conversation_history.json` of Roo Code: Cline's, with tags for replaced messages. */
export const rooTask: Agent = {
	name: 'roo-code',
	label: 'Roo Code',
	tools: clineTask.tools,
	detect: (sample) =>
		sample.records.some(namesProtocol) ||
		sampleMessages(sample).some((message) => {
			const { role, ...rest } = fieldsOf(message);
			if (typeof role !== 'string' || typeof rest.ts !== 'number') return false;
			return rest.isSummary !== undefined || rooFields.some((field) => rest[field] !== undefined);
		}),
	start: clineReader,
	limit: rooLimit,
	companion: taskCompanion,
	homes: [taskHomeOf('rooveterinaryinc.roo-cline'), taskHomeOf('kilocode.kilo-code')],
};
