/** Whether a value from the wire is nested too deep to be walked through. */
export declare function isDeep(value: unknown, levels?: number): boolean;
