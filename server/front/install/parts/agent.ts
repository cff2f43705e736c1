/** Interface of agents that contextd can be installed into. */

/** The environment of an installation. */
export interface InstallPlace {
	/** The version of contextd. */
	version: string;
	/** The package folder that contains the program. */
	packageFolder: string;
	/** The folder with everything that outlives the program. */
	stateFolder: string;
	/** The Node that runs this process. */
	node: string;
	home: string;
	platform: NodeJS.Platform;
	env: NodeJS.ProcessEnv;
}

/** Result of one check of `doctor`. */
export interface Finding {
	/** Whether the check passed; undefined for plain information. */
	isSound?: boolean;
	/** Text for the user. */
	text: string;
}

/** One file or folder that an installation writes. */
export interface PlannedFile {
	path: string;
	/** The changed lines of a file, each with a sign: `+` added, `-` removed; otherwise a description of its content. */
	lines: readonly string[];
}

/** An agent that contextd can be installed into. Each method may throw a `CommandFailure`. */
export interface InstallableAgent {
	/** Its name on the command line. */
	name: string;
	/** Its display name. */
	title: string;
	/** The version of contextd that is installed; undefined if none is. */
	installedVersion(place: InstallPlace): Promise<string | undefined>;
	/** What an installation would write. */
	changes(place: InstallPlace): Promise<PlannedFile[]>;
	/** Installs or updates. Returns what was done, one line each. */
	install(place: InstallPlace): Promise<string[]>;
	/** Uninstalls. Returns what was done, one line each. */
	uninstall(place: InstallPlace): Promise<string[]>;
	/** Checks each part of the installation. */
	doctor(place: InstallPlace): Promise<Finding[]>;
}

/** The line for an agent without contextd. */
export function notInstalled(title: string, name: string): string {
	return `not installed in ${title}; run contextd install ${name}`;
}
