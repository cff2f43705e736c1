/** Writes the rank files and their licence notices into `outputFolder`. */
export function writeRanks(outputFolder: string): Promise<void>;
