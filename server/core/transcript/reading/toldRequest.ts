/** What a transcript tells of its requests beside the messages. */

/** A text of a request, under the name that people know it by. */
export interface ToldPart {
	name: string;
	text: string;
}

/** Declarations of tools, under the name of the tool or of the server that has them. */
export interface ToldTools {
	name: string;
	definitions: unknown[];
}

export interface ToldRequest {
	systemPrompt: ToldPart[];
	tools: ToldTools[];
	/** What the agent puts elsewhere, and is no message: lists of skills, instructions of the project. */
	other: ToldPart[];
}
