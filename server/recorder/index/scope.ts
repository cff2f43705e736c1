/** Words of the index for where and when a passage was written, so that a search can be limited at no cost. */

import { textHash } from './hash.ts';

/** Limits of a search; absent members do not limit it. */
export interface SearchScope {
	/** Name of the agent. */
	agent?: string;
	/** A folder: sessions of it and of those inside it. */
	folder?: string;
	/** Milliseconds since the epoch. */
	since?: number;
}

/** Maximum folders, from the agent's upwards, by which a passage can be found. */
const maxFolders = 24;
/** Maximum months in the expression of a search; older limits are only compared with the times of the matches. */
const maxMonths = 24;

/** Returns the scope words of a passage by its agent, folder and time; a time of 0 is unknown. */
export function scopeTerms(agent: string, folder: string | undefined, at: number): string {
	return [agentTerm(agent), ...foldersOf(folder).map(folderTerm), monthTerm(at)].join(' ');
}

/** The expression of the full-text index for a search; empty if it is not limited. */
export function scopeExpression({ agent, folder, since }: SearchScope, now: number): string {
	const terms: string[] = [];
	if (agent !== undefined) terms.push(agentTerm(agent));
	if (folder !== undefined) terms.push(folderTerm(withoutTrailingSlash(folder)));
	const months = since === undefined ? [] : monthsSince(since, now);
	if (months.length > 0) terms.push(`(${months.join(' OR ')})`);
	return terms.map((term) => ` AND scope : ${term}`).join('');
}

function agentTerm(agent: string): string {
	return `a${textHash(agent)}`;
}

function folderTerm(folder: string): string {
	return `f${textHash(folder)}`;
}

function monthTerm(at: number): string {
	const date = new Date(at);
	return `m${date.getUTCFullYear() * 12 + date.getUTCMonth()}`;
}

/** Months from a time until next month, since clocks differ; none if there are too many to list. */
function monthsSince(since: number, now: number): string[] {
	const months: string[] = [];
	const date = new Date(since);
	const last = monthTerm(now + 31 * 24 * 3600 * 1000);
	for (
		let month = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()));
		months.length < maxMonths;
	) {
		months.push(monthTerm(month.getTime()));
		if (months.at(-1) === last) return months;
		month = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1));
	}
	return [];
}

function withoutTrailingSlash(folder: string): string {
	return folder.length > 1 ? folder.replace(/[/\\]$/, '') : folder;
}

/** A folder and those that contain it. */
function foldersOf(folder: string | undefined): string[] {
	if (folder === undefined || folder === '') return [];
	const folders: string[] = [];
	for (let path = withoutTrailingSlash(folder); path !== '' && folders.length < maxFolders; ) {
		folders.push(path);
		const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
		path = end <= 0 ? '' : path.slice(0, end);
	}
	return folders;
}
