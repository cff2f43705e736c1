/** Words in the index that say where and when a passage was written, so that limiting a search costs nothing. */

import { hashText } from './indexStore.ts';

/** Limits of a search; absent members do not limit it. */
export interface SearchScope {
	agent?: string;
	/** Only sessions in this folder or below it. */
	folder?: string;
	/** Only messages written at this time or later. Milliseconds since the epoch. */
	since?: number;
}

/** Maximum folders by which a passage can be found: the agent's and those above it. */
const maxFolders = 24;
/** Maximum months in a search expression. An older limit is applied only to the matches. */
const maxMonths = 24;

/** Returns the scope words of a passage; `at` is its time in milliseconds since the epoch, 0 if unknown. */
export function createScopeTerms(agent: string, folder: string | undefined, at: number): string {
	return [
		createAgentTerm(agent),
		...listEnclosingFolders(folder).map(createFolderTerm),
		createMonthTerm(at),
	].join(' ');
}

/** Returns the full-text expression that limits a search; empty if there is no limit. */
export function createScopeExpression({ agent, folder, since }: SearchScope, now: number): string {
	const terms: string[] = [];
	if (agent !== undefined) terms.push(createAgentTerm(agent));
	if (folder !== undefined) terms.push(createFolderTerm(removeTrailingSlash(folder)));
	const months = since === undefined ? [] : listMonthsSince(since, now);
	if (months.length > 0) terms.push(`(${months.join(' OR ')})`);
	return terms.map((term) => ` AND scope : ${term}`).join('');
}

function createAgentTerm(agent: string): string {
	return `a${hashText(agent)}`;
}

function createFolderTerm(folder: string): string {
	return `f${hashText(folder)}`;
}

function createMonthTerm(at: number): string {
	const date = new Date(at);
	return `m${date.getUTCFullYear() * 12 + date.getUTCMonth()}`;
}

/** Lists the months from a time until next month, because clocks differ; none if there are too many. */
function listMonthsSince(since: number, now: number): string[] {
	const months: string[] = [];
	const date = new Date(since);
	const last = createMonthTerm(now + 31 * 24 * 3600 * 1000);
	for (
		let month = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
		months.length < maxMonths;
	) {
		months.push(createMonthTerm(month.getTime()));
		if (months.at(-1) === last) return months;
		month = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
	}
	return [];
}

function removeTrailingSlash(folder: string): string {
	return folder.length > 1 ? folder.replace(/[/\\]$/, '') : folder;
}

/** Returns a folder and all folders that contain it, innermost first. */
function listEnclosingFolders(folder: string | undefined): string[] {
	if (folder === undefined || folder === '') return [];
	const folders: string[] = [];
	for (let path = removeTrailingSlash(folder); path !== '' && folders.length < maxFolders; ) {
		folders.push(path);
		const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
		path = end <= 0 ? '' : path.slice(0, end);
	}
	return folders;
}
