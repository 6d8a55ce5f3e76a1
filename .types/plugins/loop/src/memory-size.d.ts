/**
 * About how many bytes a value takes in memory, without making a text of it: lengths are added up. A text with a
 * character beyond Latin-1 takes two bytes for each (seen where it is among the first 4,096).
 */
export declare function memorySize(value: unknown): number;
