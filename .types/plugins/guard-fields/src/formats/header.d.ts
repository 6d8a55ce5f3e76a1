/** Whether a row says what the rows below it hold. */
export declare function isHeader(row: readonly unknown[], isRestricted: (name: string) => boolean): row is readonly string[];
