/** Finds out whether other agents did a part of the work. */

import { type Source, teamName } from '../message/source.ts';

/** The name of a tool that has another agent do a part of the work, whose calls are not seen. */
const delegatingToolPattern =
	/^(?:task|agent|(?:spawn|run|start|dispatch)_?(?:sub_?)?agents?|new_task|delegate\w{0,20})$/i;

/** Whether other agents did a part of the work. */
export function hasOtherAgents(sources: readonly Source[]): boolean {
	return sources.some(
		({ toolName, calls }) =>
			toolName === teamName || calls.some(({ name }) => delegatingToolPattern.test(name)),
	);
}
