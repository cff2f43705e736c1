/** Reads the agent's plan from the calls of its planning tools. */

import type { ToolCall } from '../../../protocol/conversation.ts';
import { isObject } from '../../shape.ts';
import { collectFailedCalls, type Source } from '../message/source.ts';
import { truncateAtWord } from '../text/quote.ts';
import { isTyped } from '../user/userStatements.ts';

/** An item of a plan. */
export interface Todo {
	/** The id that the tool's result gave the item; absent if the tool writes the whole list. */
	id?: string;
	text: string;
	state: 'open' | 'active' | 'done';
}

/** The agent's current plan. */
export interface TodoList {
	todos: readonly Todo[];
	/** The tool that changed the plan last; absent without a plan, and if the tool's name says nothing of plans. */
	toolName?: string;
	/** The message that changed the plan last; absent without a plan. */
	changedIn?: Source;
	/** The list that this one replaced, if it has other items, some were open, and the user asked for something in between. */
	replaced?: ReplacedList;
}

/** A list that another one replaced, with its open items. */
export interface ReplacedList {
	openTodos: readonly Todo[];
	/** The message that changed the list last. */
	changedIn: Source;
	/** The message with the list that replaced it. */
	replacedIn: Source;
}

const todoTextNames = ['content', 'step', 'text', 'title', 'subject', 'description', 'task'];
const creatingToolPattern = /task.?create|create.?task|todo.?add|add.?todo/i;
/** A result that gives a new task its id: `Task #3 created`. */
const createdIdPattern = /^\W{0,3}(?:task|todo) #(\d+)\b/i;
/** Names of tools that only keep plans. */
const planToolPattern = /todo|plan|task/i;
/** Maximum length of a description that replaces the unknown title of an item. UTF-16 units. */
const maxLateTextLength = 160;
const listingToolPattern = /task.?list|list.?tasks|todo.?list|list.?todos/i;
/** A line of a tool that lists the plan: `#3 [in_progress] Write the parser`. */
const listedTodoPattern = /^#(\d{1,6}) \[(\w{1,20})\] (\S.{0,400})$/gm;
const updatingToolPattern = /task.?update|update.?task|todo.?update/i;

/** Returns the current plan: the last list written as a whole, or the items created one by one. Empty if there is none. */
export function readCurrentPlan(
	sources: readonly Source[],
	failedCalls: ReadonlySet<ToolCall> = collectFailedCalls(sources),
): TodoList {
	let todos: Todo[] = [];
	let change: { toolName: string; changedIn: Source } | undefined;
	let byId = new Map<string, Todo>();
	const todosByCallId = new Map<string, Todo>();
	const listingCalls = new Map<string, ToolCall>();
	let createdCount = 0;
	let replaced: ReplacedList | undefined;
	let lastRequestSeq = -1;
	for (const source of sources) {
		if (isTyped(source)) lastRequestSeq = source.seq;
		for (const call of source.calls) {
			const { args } = call;
			if (failedCalls.has(call) || !isObject(args)) continue;
			const list = readTodoList(args);
			if (list) {
				const isOther =
					change !== undefined && change.changedIn.seq < lastRequestSeq && !haveCommonItem(list, todos);
				const openTodos = todos.filter(({ state }) => state !== 'done');
				// An empty list ends the work on the plan.
				if (change && isOther && list.length > 0)
					replaced = { openTodos, changedIn: change.changedIn, replacedIn: source };
				todos = list;
				change = { toolName: call.name, changedIn: source };
				byId = new Map();
			} else if (creatingToolPattern.test(call.name)) {
				const text = readTodoText(args);
				if (text === undefined) continue;
				const todo: Todo = { text, state: 'open' };
				if (byId.size === 0) todos = [];
				todos.push(todo);
				change = { toolName: call.name, changedIn: source };
				const number = String(++createdCount);
				if (!byId.has(number)) byId.set(number, todo);
				todosByCallId.set(call.id, todo);
			} else if (updatingToolPattern.test(call.name)) {
				const todoId = String(args.taskId ?? args.task_id ?? args.id ?? '');
				const todo = byId.get(todoId) ?? createTodo(todoId, args);
				if (!todo) continue;
				if (!byId.has(todoId)) todos.push(todo);
				byId.set(todoId, todo);
				change = { toolName: call.name, changedIn: source };
				if (args.status === 'deleted' || isCancelled(args)) todos = todos.filter((one) => one !== todo);
				else if (args.status !== undefined) todo.state = parseTodoState(args.status);
				todo.text = readTodoText({ ...args, description: undefined }) ?? todo.text;
			} else if (listingToolPattern.test(call.name)) listingCalls.set(call.id, call);
		}
		const todo = todosByCallId.get(source.toolCallId ?? '');
		todosByCallId.delete(source.toolCallId ?? '');
		const id = todo && createdIdPattern.exec(source.text.slice(0, 200))?.[1];
		if (todo && id) byId.set(id, Object.assign(todo, { id }));
		const listing = listingCalls.get(source.toolCallId ?? '');
		listingCalls.delete(source.toolCallId ?? '');
		const listed = listing ? readListedTodos(source.text) : [];
		if (!listing || listed.length === 0) continue;
		todos = listed;
		byId = new Map(listed.map((one) => [one.id, one]));
		change ??= { toolName: listing.name, changedIn: source };
	}
	const settledIds = [...byId].flatMap(([id, one]) =>
		one.state === 'done' || !todos.includes(one) ? [id] : [],
	);
	todos = todos.map((todo) => dropBlockers(todo, new Set(settledIds)));
	if (change === undefined) return { todos };
	const { toolName, changedIn } = change;
	const isNamed = todos.length > 0 && planToolPattern.test(toolName);
	const openTodos = replaced?.openTodos.filter((todo) => !haveCommonItem([todo], todos)) ?? [];
	return {
		todos,
		changedIn,
		...(replaced && openTodos.length > 0 && { replaced: { ...replaced, openTodos } }),
		...(isNamed && { toolName }),
	};
}

/** What an item of a listed plan waits for: ` [blocked by #9, #12]`. */
const blockersPattern = / \[blocked by (#\d{1,6}(?:, #\d{1,6}){0,99})\]/;

/** Returns an item without the blockers that are done or gone now, which an earlier listing of the plan named. */
function dropBlockers(todo: Todo, settledIds: ReadonlySet<string>): Todo {
	const [note, ids] = blockersPattern.exec(todo.text) ?? [];
	if (note === undefined || ids === undefined) return todo;
	const open = ids.split(', ').filter((id) => !settledIds.has(id.slice(1)));
	return {
		...todo,
		text: todo.text.replace(note, open.length === 0 ? '' : ` [blocked by ${open.join(', ')}]`),
	};
}

/** The number of an item, which agents add and leave out. */
const itemNumberPattern = /^\s*\d{1,3}[.)]\s+/;

/** Whether an item is in both lists, perhaps in another state or with another number. */
function haveCommonItem(list: readonly Todo[], other: readonly Todo[]): boolean {
	const toPlainText = ({ text }: Todo): string => text.replace(itemNumberPattern, '').toLowerCase();
	const texts = new Set(other.map(toPlainText));
	return list.some((todo) => texts.has(toPlainText(todo)));
}

/**
 * Whether a call only puts the agent into a mode of planning. Its result tells the model not to edit files, which is no
 * longer true when the mode has ended.
 */
export function entersPlanMode({ name }: ToolCall): boolean {
	return /^enter_?plan_?mode$/i.test(name);
}

/** Whether a call only changes the plan. */
export function isPlanCall({ name, args }: ToolCall): boolean {
	return (
		creatingToolPattern.test(name) ||
		updatingToolPattern.test(name) ||
		(isObject(args) && readTodoList(args) !== undefined)
	);
}

/** Returns an item that was created before the known messages, from a call that changes it; none without a text. */
function createTodo(id: string, args: Record<string, unknown>): Todo | undefined {
	const text = readTodoText(args);
	return id === '' || text === undefined
		? undefined
		: { id, text: truncateAtWord(text, maxLateTextLength), state: 'open' };
}

/** Returns the items in the result of a tool that lists the plan, in the order of their numbers. */
function readListedTodos(result: string): (Todo & { id: string })[] {
	return [...result.matchAll(listedTodoPattern)]
		.map(([, id = '', state, text = '']) => ({ id, text, state: parseTodoState(state) }))
		.sort((a, b) => Number(a.id) - Number(b.id));
}

function readTodoList(args: Record<string, unknown>): Todo[] | undefined {
	if (Array.isArray(args.todos) && args.todos.length === 0) return [];
	for (const value of Object.values(args)) {
		if (!Array.isArray(value) || value.length === 0) continue;
		const todos = value.map(parseTodo);
		if (todos.every((todo) => todo !== undefined))
			return todos.filter((_, index) => !isCancelled(value[index]));
	}
	return undefined;
}

function isCancelled(item: unknown): boolean {
	return isObject(item) && /^cancell?ed$/i.test(String(item.status));
}

function parseTodo(item: unknown): Todo | undefined {
	if (!isObject(item)) return undefined;
	const status = item.status ?? item.completed ?? item.done;
	const text = readTodoText(item);
	return text === undefined || status === undefined ? undefined : { text, state: parseTodoState(status) };
}

function readTodoText(entry: Record<string, unknown>): string | undefined {
	return todoTextNames.map((name) => entry[name]).find((value) => typeof value === 'string');
}

function parseTodoState(status: unknown): Todo['state'] {
	if (status === true || /^(?:completed?|done|finished)$/i.test(String(status))) return 'done';
	return /progress|active|doing/i.test(String(status)) ? 'active' : 'open';
}
