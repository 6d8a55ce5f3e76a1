/**
 * A person's message with what the front end sent along, as the model reads it.
 *
 * @param context names and values; none of them, and the message stays as it is
 * @example withContext('Pay it.', { page: 'Invoice 7' }) // 'Pay it.\n\n<context>\npage: Invoice 7\n</context>'
 */
export declare function withContext(text: string, context?: Readonly<Record<string, string>>): string;
/** The two parts of such a message again; `context` is empty where there is none. */
export declare function splitContext(message: string): {
    readonly text: string;
    readonly context: string;
};
