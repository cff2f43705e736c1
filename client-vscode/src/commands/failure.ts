import * as vscode from 'vscode';
import { isCancelled, messageOf } from '../daemon/failures.ts';

/** Tells a failure of something the user asked for; their own cancelling is none. */
export async function tellFailure<Result>(
	work: Promise<Result>,
	log: vscode.LogOutputChannel,
): Promise<Result | undefined> {
	try {
		return await work;
	} catch (error) {
		if (isCancelled(error)) return undefined;
		log.error(error instanceof Error ? error : String(error));
		const offer = vscode.window.showErrorMessage(`Context: ${messageOf(error)}`, 'Show Log');
		void offer.then((answer) => answer && log.show());
		return undefined;
	}
}
