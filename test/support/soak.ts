/** The factor by which random tests run longer than by default: `npm run test:soak` sets it. */
export const soakFactor = Number(process.env.CONTEXTD_SOAK ?? 1);

/** Whether tests run with their full counts. */
export const isSoak = soakFactor > 1;
