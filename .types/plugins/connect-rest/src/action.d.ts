import { type Action, type ApiDocument, type ContextInjection, type JsonObject, type RestAuth, type Result } from '@amodal/sdk';
/** What decides where a request of a connection goes, and what of it nobody else may say. */
export interface ActionConnection {
    readonly name: string;
    /** Resolved. */
    readonly baseUrl: string;
    readonly format?: 'rest' | 'openapi' | 'graphql';
    readonly auth?: RestAuth;
    readonly headers?: Readonly<Record<string, string>>;
    readonly contextInjection?: readonly ContextInjection[];
    /** What its API document says, for the form of bodies. */
    readonly document?: ApiDocument;
    /** Its target drops a repeat with the same `Idempotency-Key`. */
    readonly idempotent?: boolean;
}
/**
 * What a call of `request` does outside, in the one spelling that guards judge and `execute` sends. What the caller says
 * of itself (`intent`) is not looked at, and what the connection fills itself is taken out.
 *
 * @param args `method`, `endpoint`, `params`, `data`, `headers` as a model passed them
 * @returns an error text for the model where the request is not well formed
 * @example actionOf({ name: 'crm', baseUrl: 'https://api.example.com/v1' }, { method: 'get', endpoint: '/deals//7' })
 */
export declare function actionOf(connection: ActionConnection, args: JsonObject): Result<Action, string>;
/** The HTTP method of an action: operations of GraphQL are posted, but for those that stand in the address. */
export declare function httpMethodOf({ method, body, query }: Action): string;
