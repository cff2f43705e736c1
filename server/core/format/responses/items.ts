import { type Fields, isFields, requireName, requireText } from '../../shape.ts';
import { parseArgumentsJson } from '../wire/arguments.ts';

/** How to read, as a tool call, an item in which the model asks the client for an action. */
interface CallKind {
	/** Name of the field that contains the request. */
	field: string;
	/** The tool's name, for items that do not contain one. */
	name?: string;
	/** The type of the item that answers the call. */
	outputType: string;
}

/** Calls that the client executes, by item type. Not listed: calls of the server, whose items contain the result. */
export const clientCallKinds: ReadonlyMap<string, CallKind> = new Map([
	['function_call', { field: 'arguments', outputType: 'function_call_output' }],
	['custom_tool_call', { field: 'input', outputType: 'custom_tool_call_output' }],
	['local_shell_call', { field: 'action', name: 'local_shell', outputType: 'local_shell_call_output' }],
	['shell_call', { field: 'action', name: 'shell', outputType: 'shell_call_output' }],
	['apply_patch_call', { field: 'operation', name: 'apply_patch', outputType: 'apply_patch_call_output' }],
	['computer_call', { field: 'action', name: 'computer', outputType: 'computer_call_output' }],
]);

/** Types of items that answer a call. */
export const callOutputTypes: ReadonlySet<string> = new Set(
	[...clientCallKinds.values()].map((kind) => kind.outputType),
);

/** Returns the id that pairs a call with its output. Older local shell items name this id `id`. */
export function readItemCallId(item: Fields): string {
	return requireText(item.call_id ?? item.id, 'call_id');
}

/** Returns the type of an item; `message` for a message without a type. */
export function readItemType(item: Fields): string {
	return item.type === undefined && item.role !== undefined ? 'message' : requireName(item.type, 'type');
}

export function readCallItem(item: Fields, kind: CallKind): { id: string; name: string; args: unknown } {
	const name = kind.name ?? requireName(item.name, 'name');
	return { id: readItemCallId(item), name, args: readCallArguments(item, kind) };
}

function readCallArguments(item: Fields, { field, name }: CallKind): unknown {
	const value = item[field];
	if (field === 'arguments') return parseArgumentsJson(requireText(value, 'arguments'));
	if (field === 'input') return requireText(value, 'input');
	const args = name === 'computer' && value === undefined ? item.actions : value;
	return isFields(args) ? args : { value: args };
}
