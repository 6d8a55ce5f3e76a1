export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';
type Write = (event: string, data?: Readonly<Record<string, unknown>>) => void;
/** Structured log: an event name in dots and words (`session.opened`), and its facts. Never secrets. */
export interface Logger {
    readonly trace: Write;
    readonly debug: Write;
    readonly info: Write;
    readonly warn: Write;
    readonly error: Write;
    /** Whether lines of this level are written. Left out: they may be. A caller that makes many of them asks before it makes any. */
    readonly enabled?: (level: LogLevel) => boolean;
    /** The same log, with these facts on every line. */
    child(data: Readonly<Record<string, unknown>>): Logger;
}
/** Filled by `log-json`, or by the log an embedding hands in. Without a provider nothing is written. */
export declare const Log: import("../token.ts").Slot<Logger, "kernel">;
export declare const silentLogger: Logger;
/** A log whose target is found when a line is written, so that it may be handed out before there is one. */
export declare function lateLogger(target: () => Logger, data?: Readonly<Record<string, unknown>>): Logger;
/** A log for the time before there is one: keeps its lines, and passes them on when it is released. */
export declare function holdingLogger(): {
    readonly logger: Logger;
    release(to: Logger): void;
};
export {};
