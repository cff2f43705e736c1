/** An agent with contextd in it that takes one prompt after another. */
export interface RunningAgent {
	/** The id by which the agent continues the session. */
	readonly sessionId: string;
	/** The id of contextd's own session. */
	contextdId(): Promise<string>;
	/** Resolves when the agent's turn is over. */
	prompt(text: string): Promise<void>;
	/** Runs one of the plugin's commands; returns its message. */
	command(name: string, words: string): Promise<string>;
	/** Runs the agent's own `/compact`. */
	compact(): Promise<void>;
	/** Copies the session and continues in the copy; returns the copy's id. */
	fork(): Promise<string>;
	/** Returns the agent's whole record of the session as text. */
	transcript(): Promise<string>;
	end(): Promise<void>;
}
