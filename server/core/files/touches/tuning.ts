/** Limits on what is recorded about the files that a tool call touches. */

/** Maximum length of a file's path in UTF-8 bytes: `PATH_MAX` of Linux; other systems allow less. */
export const maxPathBytes = 4096;
/** Maximum recorded touches of one tool call. Commands by people and models touch fewer than 50 files. */
export const maxTouchesPerCall = 200;
/** Maximum total length of the paths that one call touches, in UTF-16 units: `maxTouchesPerCall` paths of 80 units. */
export const maxTouchedPathUnits = 16_384;
/** Maximum total length of the paths of one append's touches, so that its record stays small. */
export const maxTouchedPathUnitsPerAppend = 8_388_608;
/** Maximum number of names resolved in one command; `rm` and `mv` name each file twice. */
export const maxResolvedNames = 1000;
