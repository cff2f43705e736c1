/** What is known of an agent that contextd can be installed into. */

/** Where an installation happens. */
export interface InstallPlace {
	/** The version of contextd. */
	version: string;
	/** The folder of the package that the program stands in. */
	packageFolder: string;
	/** All that outlives the program. */
	stateFolder: string;
	/** The Node that runs this. */
	node: string;
	home: string;
	platform: NodeJS.Platform;
	env: NodeJS.ProcessEnv;
}

/** One part that `doctor` looked at. */
export interface Finding {
	/** Whether it is as it should be; undefined where it is only said. */
	isSound?: boolean;
	/** In words for people. */
	text: string;
}

/** An agent that contextd can be installed into. Each may fail with a `CommandFailure`. */
export interface InstallableAgent {
	/** As the command line names it. */
	name: string;
	/** As people call it. */
	title: string;
	/** Installs, or brings an installation up to date. Gives what was done, a line each. */
	install(place: InstallPlace): Promise<string[]>;
	/** Takes it back. Gives what was done, a line each. */
	uninstall(place: InstallPlace): Promise<string[]>;
	/** Looks at each part of it. */
	doctor(place: InstallPlace): Promise<Finding[]>;
}

/** Returns the line for an agent that contextd is not installed in. */
export function notInstalled(title: string, name: string): string {
	return `not installed in ${title}; run contextd install ${name}`;
}
