/** Counts the tokens of a text: a whole number, 0 for the empty text. Pure: equal texts, equal counts. */
export type CountText = (text: string) => number;
