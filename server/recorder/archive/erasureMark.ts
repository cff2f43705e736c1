import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A file that exists during an erasure. If the process is killed, the next process finds the file and completes the erasure. */
export class ErasureMark {
	readonly #file: string;

	/** @param folder the folder of the recorder */
	constructor(folder: string) {
		this.#file = join(folder, 'erasing');
	}

	get isSet(): boolean {
		return existsSync(this.#file);
	}

	set(): void {
		const file = openSync(this.#file, 'w', 0o600);
		fsyncSync(file);
		closeSync(file);
	}

	clear(): void {
		rmSync(this.#file, { force: true });
	}
}
