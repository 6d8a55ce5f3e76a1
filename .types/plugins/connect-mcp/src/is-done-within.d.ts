/** Whether something is over within `ms`. Its failure counts as its end. */
export declare function isDoneWithin(ms: number, work: Promise<unknown>): Promise<boolean>;
