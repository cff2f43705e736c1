/** Facts about a new session of an agent. */
export interface NewSession {
	/** A UUID. */
	sessionId: string;
	/** The folder in which the session starts. */
	cwd: string;
	model: string;
	provider: string;
	/** The provider that continues the session, as the agent's settings name it. */
	agentProvider?: string;
	/** Title of the session, if it is known. */
	title?: string;
	/** The transcript that the session is a copy of, and the tokens of its requests besides messages. */
	original?: { path: string; overheadTokens: number };
	/** Milliseconds since the epoch; each further record is one millisecond later. */
	startedAt: number;
	/** Returns a unique id, as a UUID. */
	createId(): string;
}

/** Returns the time of a session's nth record, as an ISO string. */
export function formatRecordTime({ startedAt }: NewSession, record: number): string {
	return new Date(startedAt + record).toISOString();
}
