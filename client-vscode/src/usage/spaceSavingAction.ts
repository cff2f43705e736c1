/** Chooses the action that is offered to free space in the window. */

import { t } from '../text/language.ts';
import { canContinue, isWritable, type ShownSession } from './usage.ts';

export interface SpaceSavingAction {
	command: 'contextd.compact' | 'contextd.continueInAgent' | 'contextd.takeAlong';
	/** Title of the button or link. */
	title: string;
	/** What the action does, in a few words. */
	note: string;
}

/** Returns the action that hover and notices offer first; null if the extension cannot compact or export the session. */
export function chooseSpaceSavingAction(session: ShownSession): SpaceSavingAction | null {
	const { followed } = session;
	if (isWritable(session))
		return { command: 'contextd.compact', title: t('Compact Context'), note: t('Compact Context') };
	if (!followed) return null;
	if (!canContinue(session)) {
		return { command: 'contextd.takeAlong', title: t('Export'), note: t('Export Compacted History…') };
	}
	return {
		command: 'contextd.continueInAgent',
		title: t('Continue in {0}, Compacted', followed.label),
		note: t('Creates a compacted copy; this session does not change'),
	};
}
