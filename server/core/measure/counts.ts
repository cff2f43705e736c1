/** Tokens of one message before any calibration, by what they are spent on. */
export interface Counts {
	/** Text and reasoning, with the message's framing. */
	text: number;
	/** Tool calls: names, arguments, framing. */
	calls: number;
	images: number;
}

/** Tokens of what surrounds the history in the next model call. */
export interface RequestCounts {
	systemPrompt: number;
	currentPrompt: number;
	toolDefinitions: number;
	fileAttachments: number;
}
