/** Finds what an API adds to its objects for other programs: links to itself, and names that only it uses. */

import type { Fields } from '../../shape.ts';

/** A link to an API. */
const apiLinkPattern = /^https?:\/\/(?:api\.|[^/]{1,200}\/api\/)/;
/** Members of objects of GitHub and GitLab besides the id and the name that people use. */
const internalNamePattern = /^(?:node_id|gravatar_id|avatar_url)$/;

/** Whether only programs need a member of an object, because another member links to a page for people. */
export function isForPrograms(
	{ html_url: page, web_url: otherPage }: Fields,
	name: string,
	value: unknown,
): boolean {
	if (page === undefined && otherPage === undefined) return false;
	return internalNamePattern.test(name) || (typeof value === 'string' && apiLinkPattern.test(value));
}
