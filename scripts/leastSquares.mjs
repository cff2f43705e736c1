/**
 * Returns the weights of `size` features that minimize the weighted square error over `rows`, plus `ridge` times the square of
 * their distance from `prior`. A row has the counts of its features (`steps`), the target (`tokens`), and the weight of its error
 * (`weight`).
 */
export function fitLeastSquares(rows, size, prior, ridge) {
	const matrix = Array.from({ length: size }, () => new Float64Array(size));
	const right = new Float64Array(size);
	for (const { steps, tokens, weight } of rows) {
		let rest = tokens;
		for (const [step, number] of steps) rest -= number * prior[step];
		for (const [step, number] of steps) {
			right[step] += weight * number * rest;
			const row = matrix[step];
			for (const [other, otherNumber] of steps) row[other] += weight * number * otherNumber;
		}
	}
	for (let i = 0; i < size; i++) matrix[i][i] += ridge;
	return solve(matrix, right).map((value, step) => value + prior[step]);
}

/** Solves a system with a symmetric positive definite matrix by Cholesky's decomposition, in place. */
function solve(matrix, right) {
	const size = right.length;
	for (let i = 0; i < size; i++) {
		for (let j = 0; j <= i; j++) {
			let sum = matrix[i][j];
			for (let k = 0; k < j; k++) sum -= matrix[i][k] * matrix[j][k];
			matrix[i][j] = i === j ? Math.sqrt(sum) : sum / matrix[j][j];
		}
	}
	const half = new Float64Array(size);
	for (let i = 0; i < size; i++) {
		let sum = right[i];
		for (let k = 0; k < i; k++) sum -= matrix[i][k] * half[k];
		half[i] = sum / matrix[i][i];
	}
	const solution = new Float64Array(size);
	for (let i = size - 1; i >= 0; i--) {
		let sum = half[i];
		for (let k = i + 1; k < size; k++) sum -= matrix[k][i] * solution[k];
		solution[i] = sum / matrix[i][i];
	}
	return solution;
}
