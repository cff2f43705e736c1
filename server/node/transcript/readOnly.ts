import { constants } from 'node:fs';

/** How a file is opened for reading: opening a pipe must not wait for somebody who writes to it. */
export const readOnly = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
