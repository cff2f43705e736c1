/** Installs an agent's plugin, which lets contextd change a running session. */

import { findActiveFolder } from '../session/folder.ts';
import { t } from '../text/language.ts';
import { findMissingPlugin } from '../usage/usage.ts';
import { type ExtensionParts, requireShownSession } from './extensionParts.ts';
import { UserMistake } from './failure.ts';
import { offerAgentStart } from './offerAgentStart.ts';

/** Offers the command that installs the plugin for the followed session's agent. */
export async function installPlugin(parts: ExtensionParts): Promise<void> {
	const session = requireShownSession(parts);
	const plugin = findMissingPlugin(session);
	if (!session.followed || plugin === undefined)
		throw new UserMistake(t('There is no plugin for the agent of this session.'));
	await offerAgentStart(
		t(
			'With its plugin, contextd can compact running sessions of {0}, and undo that. This applies to sessions that start after the installation.',
			session.followed.label,
		),
		`npx --yes --package=contextd contextd install ${plugin}`,
		findActiveFolder()?.uri,
	);
}
