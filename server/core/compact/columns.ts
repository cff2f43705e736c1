/** A growing list of 32-bit numbers in one block of memory. */
export interface Column {
	data: Int32Array;
	length: number;
}

/** Returns an empty column. */
export function createColumn(): Column {
	return { data: new Int32Array(1024), length: 0 };
}

/** Appends one number (32 bits, signed). */
export function appendNumber(target: Column, value: number): void {
	if (target.length === target.data.length) {
		const wider = new Int32Array(target.length * 2);
		wider.set(target.data);
		target.data = wider;
	}
	target.data[target.length++] = value;
}

/** Returns the number of a name, counted from 0; assigns the next one to a new name. */
export function assignNumber<Name>(numbers: Map<Name, number>, name: Name): number {
	const known = numbers.get(name);
	if (known !== undefined) return known;
	numbers.set(name, numbers.size);
	return numbers.size - 1;
}
