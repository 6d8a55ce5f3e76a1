import { type Action, type ApiDocument, type Connection, type Failure, type Lease, type Outbound, type OutboundResponse, type RestSpec, type Result, type Secrets } from '@amodal/sdk';
import { actionOf, type ActionConnection } from './action.ts';
import type { Credentials } from './credentials.ts';
import type { Scoped } from './row-scope.ts';
import { type Asker } from './user-context.ts';
export interface Services {
    readonly outbound: Outbound;
    readonly secrets: Secrets;
    readonly credentials: Credentials;
    /** ms of a clock that never goes back, and of the day. */
    readonly monotonic: () => number;
    readonly now: () => number;
}
/** One action that was judged, and for whom it is done. */
export interface Order {
    readonly connection: Connection;
    readonly rest: RestSpec;
    readonly action: Action;
    readonly asker: Asker;
    /** What `context` of the message says of its user is believed. */
    readonly trustContext: boolean;
    /** Puts withheld values back where they may go. */
    readonly reveal?: (text: string) => Result<string, Failure>;
    readonly key?: string;
    readonly lease?: Lease;
    readonly signal: AbortSignal;
}
/** Sends what was judged, with credentials, context and row scope of the connection. Keeps tokens and rates between calls. */
export declare class RestClient {
    #private;
    constructor(services: Services);
    /** A connection as its requests are read: with its address. */
    target({ name }: Pick<Connection, 'name'>, { baseUrl, format, auth, headers, contextInjection, idempotent }: RestSpec): Result<ActionConnection, Failure>;
    /** The judged spelling of a request. */
    action(connection: Connection, rest: RestSpec, args: Parameters<typeof actionOf>[1], document?: ApiDocument): Result<Action, string>;
    /** Which rows of the answer are the asker's own to see. */
    scopes({ connection, rest, action, asker, trustContext }: Order): Result<readonly Scoped[], Failure>;
    /** Sends it. An HTTP status is an answer; a failure says that there is none. */
    send(order: Order): Promise<Result<OutboundResponse, Failure>>;
    /** Nothing that is shown holds a secret: those of the environment, and tokens that were fetched. */
    readonly mask: (text: string) => string;
}
