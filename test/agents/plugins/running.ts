/** An agent with contextd in it that goes on from prompt to prompt. */
export interface RunningAgent {
	/** By which the agent goes on with the session. */
	readonly sessionId: string;
	/** The id of contextd's own session. */
	contextdId(): Promise<string>;
	/** Resolves when the agent's turn is over. */
	prompt(text: string): Promise<void>;
	/** Runs one of the plugin's commands; gives what it said. */
	command(name: string, words: string): Promise<string>;
	/** The agent's own `/compact`. */
	compact(): Promise<void>;
	/** Goes on in a copy of the session, which this is from now on; gives its id. */
	fork(): Promise<string>;
	/** All that the agent keeps of the session, as text. */
	transcript(): Promise<string>;
	end(): Promise<void>;
}
