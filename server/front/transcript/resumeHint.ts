/** How to resume a session that a command wrote. */

import { type Line, span } from '../output/line.ts';
import { printable } from '../output/printable.ts';
import { type NewAgentSession, resumeCommand, resumeFromFile } from './agentPlace.ts';

/** Where a written session is. */
export type WrittenSessionPlace = 'place' | 'stdout' | { file: string };

/** How to resume a session that was written. */
export function resumeHint(session: NewAgentSession, place: string, written: WrittenSessionPlace): Line {
	if (written === 'stdout') {
		const later =
			session.format === 'opencode' ? resumeFromFile(session, place, place) : resumeCommand(session, place);
		return [span(`Save it as ${printable(place)}, or use --place; then: `, 'gray'), span(later, 'cyan')];
	}
	const command =
		written === 'place' ? resumeCommand(session, place) : resumeFromFile(session, written.file, place);
	return [span('Continue with: ', 'gray'), span(command, 'cyan')];
}
