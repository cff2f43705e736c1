/** Gives calls of all agents the same form, so that commands, files and edits are found under the same names. */

import type { ToolCall } from '../../protocol/conversation.ts';
import { standardizeArguments } from '../transcript/index.ts';
import { unwrapScriptedCall } from './scriptedCall.ts';

/** Returns a call with standard names of arguments; a script that only calls tools becomes the call that it makes. */
export function standardizeCall(call: ToolCall): ToolCall {
	return standardizeArguments(unwrapScriptedCall(call));
}
