/** What a new session of an agent is made with. */
export interface NewSession {
	/** A UUID. */
	sessionId: string;
	/** The folder that the session is started in. */
	cwd: string;
	model: string;
	provider: string;
	/** Milliseconds since the epoch; every further record is a millisecond later. */
	startedAt: number;
	/** An id that no other is equal to, as a UUID. */
	newId(): string;
}

/** The time of a session's nth record, as ISO text. */
export function recordTime({ startedAt }: NewSession, record: number): string {
	return new Date(startedAt + record).toISOString();
}
