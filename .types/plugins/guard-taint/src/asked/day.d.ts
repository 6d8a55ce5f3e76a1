/** A day, or a point in time, as calls are given it. */
export declare const DAY: RegExp;
export declare const TIME: RegExp;
/** Days and hours that a text names, however it names them: tomorrow, next Friday, am 5. März um 12 Uhr. */
export interface Moments {
    readonly days: ReadonlySet<string>;
    readonly hours: ReadonlySet<number>;
}
/** @param now ms since 1970; from here on `tomorrow` is counted */
export declare function momentsIn(texts: readonly string[], now: number): Promise<Moments>;
/** Whether a value that is a day or a time of day is one of these; an hour later is where it ends. */
export declare function isMeant(value: string, { days, hours }: Moments): boolean;
