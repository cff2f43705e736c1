/** Renders the agent's plan, with what became of it. */

import { shortenPaths } from '../../analysis/calls/calls.ts';
import { readCurrentPlan } from '../../analysis/calls/plans.ts';
import { findPlanFile } from '../../analysis/changes/planFiles.ts';
import { getMessageName, type Source, teamName } from '../../analysis/message/source.ts';
import { quoteLine } from '../../analysis/text/quote.ts';
import { isTyped } from '../../analysis/user/userStatements.ts';
import { type SummaryBudget, takeLine, takeLines } from './summaryBudget.ts';
import type { SessionAnalyses } from './workState.ts';

/** Returns the lines of the plan that fit, with a note on the open items that do not, and takes them from the budget. */
export function takePlan(budget: SummaryBudget, state: SessionAnalyses, maxTokens: number): string[] {
	const { open, closing } = renderTodos(state);
	const tokensBefore = budget.tokensLeft;
	const shown = takeLines(budget, 'plan', open, maxTokens);
	const remainingTokens = maxTokens - (tokensBefore - budget.tokensLeft);
	const omitted = open.length - shown.length;
	const note = omitted > 0 && shown.length > 0 ? `- … and ${omitted} more open` : '';
	const hasNote = note !== '' && takeLine(budget, 'plan', note, budget.tokensLeft) > 0;
	return [...shown, ...(hasNote ? [note] : []), ...takeLines(budget, 'plan', closing, remainingTokens)];
}

/**
 * Returns a line for each open item of the plan, then a line with the tool that changes the plan, one for all done items, and
 * one for the items that a list before it left open.
 */
function renderTodos({ all, fileCalls, outcomes, undone }: SessionAnalyses): {
	open: string[];
	closing: string[];
} {
	const { todos, toolName, changedIn, replaced } = readCurrentPlan(all, outcomes.failedCalls);
	const isShared = all.some((source) => source.toolName === teamName);
	const done = todos.filter(({ state }) => state === 'done').map(({ text }) => quoteLine(text));
	const isLater = ({ seq }: Source): boolean => changedIn !== undefined && seq > changedIn.seq;
	const messageCount = all.filter((source) => isLater(source) && isTyped(source)).length;
	const editCount = fileCalls.filter(
		({ caller, access }) => isLater(caller) && access.touches.some(({ kind }) => kind === 'edit'),
	).length;
	// The agent stopped keeping a plan that it has not changed for several requests with edits.
	const isLeft = messageCount > 1 && editCount > 0;
	const active = isLeft ? '(then in progress) ' : '(in progress) ';
	const open = todos
		.filter(({ state }) => state !== 'done')
		.map(
			({ id, state, text }) =>
				`- ${state === 'active' ? active : ''}${id === undefined || text.startsWith(`Task ${id}:`) ? '' : `task ${quoteLine(id)}: `}${quoteLine(text)}`,
		);
	if (open.length > 0 && isShared) open.unshift('- (other agents of the team may have changed these items)');
	const closing: string[] = [];
	if (open.length > 0 && toolName !== undefined && changedIn) {
		const edits =
			editCount === 0 ? '' : `, before the last ${editCount === 1 ? 'edit' : `${editCount} edits`}`;
		const messages = isLeft ? ` and ${messageCount} messages of the user` : '';
		const note = `- (kept with the tool ${quoteLine(toolName)}, changed last in ${getMessageName(changedIn)}${edits}${messages})`;
		if (isLeft) open.unshift(note);
		else closing.push(note);
	}
	const file = open.length === 0 ? findPlanFile({ fileCalls, undone }) : undefined;
	if (file) {
		const name = `${shortenPaths(file.path)}, changed last in ${getMessageName(file.changedIn)}`;
		open.push(`- (${name}: ${file.doneCount} of ${file.doneCount + file.openItems.length} items are ticked)`);
		open.push(...file.openItems.map((text) => `- ${quoteLine(text)}`));
	}
	if (done.length > 0) {
		const time = messageCount > 0 && open.length === 0 ? ' before the current request' : '';
		closing.push(`- done${time}, ${done.length} of ${todos.length}: ${done.join('; ')}`);
	}
	if (replaced) {
		const { openTodos, changedIn: last, replacedIn } = replaced;
		const items = openTodos.map(({ text }) => quoteLine(text)).join('; ');
		closing.push(
			`- not ticked off in the list of ${getMessageName(last)}, which ${getMessageName(replacedIn)} replaced: ${items}`,
		);
	}
	return { open, closing };
}
