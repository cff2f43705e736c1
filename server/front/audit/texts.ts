/** Texts and figures of an audit, for the terminal and the page. */

import type { Audit } from '../../core/cost/audit/audit.ts';
import type { CostCause } from '../../core/cost/audit/causes.ts';
import type { CostlyMoment } from '../../core/cost/audit/moments.ts';
import { convertToInputTokens, convertToUsd, type Money } from '../../core/cost/audit/money.ts';
import { formatCount, formatDollars, formatNumber, formatTokens } from '../../core/figures.ts';
import type { StrategyName } from '../../core/replay/compare.ts';
import { makePrintable } from '../output/printable.ts';

/** Labels of the causes of cost: what the money was paid for. */
export const causeLabels: Readonly<Record<CostCause, string>> = {
	cacheReads: 'Reading the prompt again',
	growth: 'Caching what was added',
	newInput: 'New input, not cached',
	expiry: 'Cache expired in a pause',
	changedPrefix: 'Prompt or model changed',
	compaction: 'Compactions',
	coldStart: 'First prompts',
	output: 'Answers and thinking',
	subAgents: 'Sub-agents',
};

/** Describes each cause of cost in a sentence. */
export const causeDescriptions: Readonly<Record<CostCause, string>> = {
	cacheReads: 'Every request reads the whole conversation again, from the cache at a low price.',
	growth: 'New messages were written to the cache once.',
	newInput: 'New messages that were not written to a cache.',
	expiry: 'After a pause the cache was gone, and the whole prompt was written again.',
	changedPrefix:
		'Something before the end of the prompt changed, or another model was asked, and the rest was written again.',
	compaction: 'Calls that summarize, and the first prompts after them.',
	coldStart: 'The first prompt of each conversation: instructions, tools, files.',
	output: 'What models wrote, thinking included.',
	subAgents: 'All calls of sub-agents.',
};

/** Advice on how to reduce the cost of each cause. */
const causeAdvice: Readonly<Record<CostCause, string>> = {
	cacheReads: 'start a new session per task, or set compaction.policy to "cheap"',
	growth: 'read parts of files; limit long results (agents.toolResultTokens)',
	newInput: 'read parts of files; limit long results (agents.toolResultTokens)',
	expiry: "after a pause compact first, as contextd's plugins do, or start a new session",
	changedPrefix: 'keep tools, MCP servers and instructions unchanged within a session',
	compaction: 'compact rarely and deeply; contextd compacts without a model call',
	coldStart: 'remove tools, MCP servers and instructions that no task needs',
	output: 'lower the effort; ask for edits instead of whole files',
	subAgents: 'give sub-agents a cheaper model and smaller tasks',
};

/** Labels of the compaction strategies of a replay, in the order of a report. */
export const strategyLabels: Readonly<Record<StrategyName, string>> = {
	own: "the agents' own compaction",
	nothing: 'no compaction',
	full: 'contextd, "full"',
	balanced: 'contextd, "balanced"',
	cheap: 'contextd, "cheap"',
};

/** The assumptions behind the estimates of a replay. */
export const replayAssumptions =
	'Assumes the same requests and answers, the cache rules of each provider, and list prices. Includes the first cache write after a compaction and repeated reads; leaves out sub-agents.';

/** Returns advice on how to avoid an expensive moment. */
export function chooseAdvice({ cause, modelBefore }: CostlyMoment): string {
	if (cause !== 'changedPrefix' || modelBefore === undefined) return causeAdvice[cause];
	return 'change the model when you begin a session, or right after a compaction';
}

/** Formats the difference from the cost of the agents' own compaction: `+12%`, `−30%`, `same`. */
export function formatDifference(usd: number, ownUsd: number): string {
	const percent = ownUsd > 0 ? Math.round((100 * (usd - ownUsd)) / ownUsd) : 0;
	if (percent === 0) return 'same';
	return `${percent < 0 ? '−' : '+'}${Math.abs(percent)}%`;
}

/** Formats an amount in dollars or, if no model has a known price, in input tokens: `$4.10`, `3.1M in`. */
export function formatMoney(money: Money): string {
	if (money.nanoUsd === 0 && money.milliInputs > 0) return `${formatTokens(convertToInputTokens(money))} in`;
	return formatDollars(convertToUsd(money));
}

const minuteMs = 60_000;

/** Formats a pause: `14 min`, `3 h`, `12 d`. */
function formatPause(ms: number): string {
	const minutes = Math.round(ms / minuteMs);
	if (minutes < 90) return `${minutes} min`;
	const hours = Math.round(minutes / 60);
	return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

/** Describes in a few words what happened in an expensive moment. */
export function describeMoment({ cause, tokens, calls, pauseMs = 0, modelBefore }: CostlyMoment): string {
	const size = formatTokens(tokens);
	switch (cause) {
		case 'cacheReads':
			return `${size} read in ${formatCount(calls, 'prompt')} over 150k`;
		case 'growth':
		case 'newInput':
			return `${size} added at once`;
		case 'expiry':
			return calls === 1
				? `${size} rewritten after a pause of ${formatPause(pauseMs)}`
				: `${size} rewritten: ${calls} pauses up to ${formatPause(pauseMs)}`;
		case 'changedPrefix': {
			const callsText = calls === 1 ? '' : ` ${formatNumber(calls)} times`;
			return `${size} rewritten${callsText}: ${modelBefore === undefined ? 'prompt' : 'model'} changed`;
		}
		case 'compaction':
			return calls === 1 ? `a compaction, ${size}` : `${calls} calls for compactions, ${size}`;
		case 'coldStart':
			return `a first prompt of ${size}`;
		case 'output':
			return `an answer of ${size}`;
		case 'subAgents':
			return `a sub-agent: ${formatCount(calls, 'call')}, ${size}`;
	}
}

/**
 * Returns short names of projects, by their folders: the last name in each path, or the last two if several projects
 * share it.
 */
export function shortenProjectNames(projects: readonly string[]): Map<string, string> {
	const splitPath = (path: string): string[] => path.split(/[/\\]/).filter((part) => part !== '');
	const nameCounts = new Map<string, number>();
	for (const path of projects) {
		const name = splitPath(path).at(-1) ?? '';
		nameCounts.set(name, (nameCounts.get(name) ?? 0) + 1);
	}
	return new Map(
		projects.map((path) => {
			const parts = splitPath(path);
			const isShared = (nameCounts.get(parts.at(-1) ?? '') ?? 0) > 1;
			const name = parts.slice(isShared ? -2 : -1).join('/');
			return [path, name === '' ? '(unknown folder)' : makePrintable(name)];
		}),
	);
}

/**
 * Returns a note that names the models without a known price, those with the most tokens first; undefined if all
 * models have a price, or no model has one.
 */
export function describeUnpriced({ unpriced, total }: Pick<Audit, 'unpriced' | 'total'>): string | undefined {
	if (unpriced.length === 0 || total.nanoUsd === 0) return undefined;
	const names = unpriced
		.slice(0, 3)
		.map(({ name }) => (name === '' ? 'unnamed models' : makePrintable(name)));
	const omitted = unpriced.length - names.length;
	const models = names.join(', ') + (omitted > 0 ? ` and ${omitted} more` : '');
	return `Not included: ${models}, worth ${formatTokens(convertToInputTokens(total))} input tokens; the setting "prices" sets their price`;
}
