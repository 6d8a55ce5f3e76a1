/** A line of JSON, or what is left of it where it is longer than anybody reads. */
export declare function bounded(line: string): string;
/** A line for a person: `12:30:01.250 INFO  session.opened  chat  session=s1 ms=4`, with stacks and long texts below. */
export declare function pretty(line: string, colored: boolean): string;
