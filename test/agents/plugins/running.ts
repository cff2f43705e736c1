/** An agent with contextd in it that goes on from prompt to prompt. */
export interface RunningAgent {
	sessionId: string;
	/** Resolves when the agent's turn is over. */
	prompt(text: string): Promise<void>;
	/** Runs one of the plugin's commands; gives what it said. */
	command(name: string, words: string): Promise<string>;
	/** The agent's own `/compact`. */
	compact(): Promise<void>;
	/** All that the agent keeps of the session, as text. */
	transcript(): Promise<string>;
	end(): Promise<void>;
}
