/** The files that mark the sessions a channel has answered, by their names. */

/** Folder of secrets and marks in a state folder. */
export const channelFolderName = 'channel';
/** How the name of a mark ends. */
export const markSuffix = '.answered';
/** UTF-16 units of a session's id in the name of its mark. */
const maxNameLength = 200;

/** Returns the name of a session's mark, such as `claude-5f3a.answered`; undefined for an id that is no agent's. */
export function markName(session: string): string | undefined {
	const name = session.replace(':', '-');
	const isName = name.length <= maxNameLength && /^[a-z]+-[\w-]+$/i.test(name);
	return isName ? `${name}${markSuffix}` : undefined;
}
