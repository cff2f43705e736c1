/** Limits on what is recorded of the files that a tool call touches. */

/** UTF-8 bytes of the longest path that names a file: `PATH_MAX` of Linux; other systems allow less. */
export const maxPathBytes = 4096;
/** Touches that are recorded of one tool call; commands that people and models write touch fewer than 50 files. */
export const maxTouchesPerCall = 200;
/** UTF-16 units that the paths of one call's touches may take together: `maxTouchesPerCall` paths of 80 units. */
export const maxTouchedPathUnits = 16_384;
/** The same for all messages of one append, so that a record stays small next to the messages that it describes. */
export const maxTouchedPathUnitsPerAppend = 8_388_608;
/** Names of files and folders that are resolved in one command; `rm` and `mv` name each file twice. */
export const maxResolvedNames = 1000;
