import type { Logger } from '@amodal/sdk';
/** A message that a server has sent to be logged. */
export interface LoggedMessage {
    readonly at: string;
    readonly level: string;
    readonly logger?: string;
    readonly message: string;
}
/** Lines of a child's standard error that say why it ended. */
export declare const LAST_WORDS = 5;
/** What a server says beside its answers: the lines of a child's standard error, and messages for the log. */
export declare class ServerLog {
    #private;
    constructor(server: string, log: Logger, told: (text: string) => string);
    get lines(): readonly string[];
    get messages(): readonly LoggedMessage[];
    /** A new process begins. */
    begin(): void;
    line(text: string): void;
    message(level: string, data: unknown, logger: string | undefined): void;
}
