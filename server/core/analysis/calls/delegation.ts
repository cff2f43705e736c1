/** Finds out whether other agents did a part of the work. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { isFields } from '../../shape.ts';
import { type Source, teamName } from '../message/source.ts';

/** The name of a tool that has another agent do a part of the work, whose calls are not seen. */
const delegatingToolPattern =
	/^(?:task|agent|(?:spawn|run|start|dispatch)_?(?:sub_?)?agents?|new_task|delegate\w{0,20})$/i;

/** Words of a task that only looks: its agent changes no files. */
const lookingPattern =
	/\b(?:explore|explorer|plan|research|review|audit|read-only|search|find|investigate|analy[sz]e)\b/i;

/** Whether a call has another agent do work that may change files. */
export function delegatesWork({ name, args }: ToolCall): boolean {
	if (!delegatingToolPattern.test(name)) return false;
	const { subagent_type: type, description } = isFields(args) ? args : {};
	return ![type, description].some((one) => typeof one === 'string' && lookingPattern.test(one));
}

/** Whether a call asks another agent for something. */
export function asksAgent({ name }: ToolCall): boolean {
	return delegatingToolPattern.test(name);
}

/** Whether other agents did a part of the work. */
export function hasOtherAgents(sources: readonly Source[]): boolean {
	return sources.some(({ toolName, calls }) => toolName === teamName || calls.some(asksAgent));
}
