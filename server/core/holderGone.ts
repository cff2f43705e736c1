/** Nobody is there who holds the session: it may be taken over, and the write be asked for again. */
export class HolderGone extends Error {
	constructor(reason: string) {
		super(reason);
		this.name = 'HolderGone';
	}
}
