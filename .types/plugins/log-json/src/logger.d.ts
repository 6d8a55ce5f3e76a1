import type { Logger, LogLevel } from '@amodal/sdk';
import type { Outlet } from './target.ts';
export interface JsonLoggerOptions {
    /** `fatal` and `none` silence everything that this log writes. */
    readonly level: LogLevel | 'fatal' | 'none';
    readonly format: 'json' | 'pretty';
    readonly outlet: Outlet;
    /** Hides the values of secrets in a text. */
    readonly mask: (text: string) => string;
}
/** A log whose lines are JSON, or made for reading. Errors are out before the call returns. */
export declare function jsonLogger({ level, format, outlet, mask }: JsonLoggerOptions): Logger;
