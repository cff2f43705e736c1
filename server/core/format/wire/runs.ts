/** Turns of one role that follow each other. */

/** The turns in order, each run of one role gathered. */
export function runsOfRole<Turn extends { role: unknown }>(turns: readonly Turn[]): Turn[][] {
	const runs: Turn[][] = [];
	for (const turn of turns) {
		const run = runs.at(-1);
		if (run !== undefined && run[0]?.role === turn.role) run.push(turn);
		else runs.push([turn]);
	}
	return runs;
}
