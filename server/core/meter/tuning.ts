/** The numbers by which figures of providers are believed. */

/** Raw tokens of pseudo-evidence that the factor is 1: it keeps the first few figures from swinging it. */
export const ridge = 4000;
/** The factor's bounds: no provider is known to count more than two tokens for one of ours. */
export const factorBounds = { lowest: 0.5, highest: 2 } as const;
/** Growth further off than this, as a factor, comes from something that no factor explains. */
export const widestGrowth = 3;

/**
 * How many times its count the history is believed to weigh by a refusal at most, for the same reason, and at least: what
 * is believed to be small is left alone.
 */
export const refusalBounds = { lowest: 0.25, highest: 2 } as const;
/** A provider that refuses again what was cut for it is believed once more. */
export const mostRefusals = 2;
