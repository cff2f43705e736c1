/** The interface of an agent's installer. */

/** The machine on which contextd is installed. */
export interface Machine {
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
	/** Name of the agent, for people. */
	title: string;
	/** Returns the version of contextd that is installed in the agent; undefined if none is. */
	findInstalledVersion(machine: Machine): Promise<string | undefined>;
	/** Lists the files that an installation would write. */
	planChanges(machine: Machine): Promise<PlannedFile[]>;
	/** Installs or updates. Returns what was done, one line each. */
	install(machine: Machine): Promise<string[]>;
	/** Uninstalls. Returns what was done, one line each. */
	uninstall(machine: Machine): Promise<string[]>;
	/** Checks each part of the installation. */
	check(machine: Machine): Promise<Finding[]>;
}
