import type { JSONRPCMessage } from '@modelcontextprotocol/client';
/**
 * The forms of questions as their server has sent them: the client library drops constraints that its own schema does
 * not know, such as `pattern`, so that values would be sent that the server refuses.
 */
export declare class SentForms {
    #private;
    /** Takes note of a message before the library reads it. */
    heard(message: JSONRPCMessage): void;
    /** The same question with the form as it was sent. */
    whole<P extends {
        readonly message: string;
        readonly requestedSchema?: unknown;
    }>(params: P): P;
}
