/** What a plugin shows of a session, kept beside its journal. */

import { Failure } from '../../core/failure.ts';
import { parsedJson, present } from '../../core/shape.ts';
import type { HeldBeginning, HoldViewParams, HoldViewResult } from '../../protocol/session.ts';
import type { HeldViews } from '../ports.ts';
import { type Session, writable } from '../session.ts';
import { journalPosition } from './sessions.ts';

/** Keeps a view, or with null lets go of the one that is kept; durable once it resolves. */
export async function holdView(
	session: Session,
	{ view, behind, marks }: Omit<HoldViewParams, 'sessionId'>,
): Promise<HoldViewResult> {
	writable(session);
	const { heldViews } = session.world;
	if (!heldViews) return {};
	if (view === null) {
		await heldViews.remove(session.id);
		return {};
	}
	const whole = behind === undefined ? view : (await beginning(heldViews, session.id, behind)) + textIn(view);
	const { workspace } = session.state.info;
	const head = {
		sessionId: session.id,
		journal: journalPosition(session.state),
		...present({ workspace, marks }),
	};
	return heldViews.write(head, JSON.stringify(whole));
}

function textIn(view: unknown): string {
	if (typeof view === 'string') return view;
	throw new Failure('InvalidParams', 'params.view: expected a text, since it goes on behind another');
}

/** The part of the held text that stays. */
async function beginning(
	heldViews: HeldViews,
	sessionId: string,
	{ checksum, units }: HeldBeginning,
): Promise<string> {
	const held = await heldViews.read(sessionId);
	const text = held?.checksum === checksum ? parsedJson(held.view)?.value : undefined;
	if (typeof text !== 'string' || text.length < units) {
		throw new Failure('InvalidParams', 'params.behind: another view is held');
	}
	return text.slice(0, units);
}
