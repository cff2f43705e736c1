/** What a plugin shows of a session, kept beside its journal. */

import type { HoldViewResult } from '../protocol/session.ts';
import { type Session, writable } from './session.ts';
import { journalPosition } from './sessions.ts';

/** Keeps a view, or with null lets go of the one that is kept; durable once it resolves. */
export async function holdView(session: Session, view: unknown): Promise<HoldViewResult> {
	writable(session);
	const { heldViews } = session.world;
	if (!heldViews) return {};
	if (view === null) {
		await heldViews.remove(session.id);
		return {};
	}
	return { path: await heldViews.write(session.id, journalPosition(session.state), JSON.stringify(view)) };
}
