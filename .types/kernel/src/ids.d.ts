declare const brand: unique symbol;
/** A string that cannot be mistaken for another kind of string. */
export type Branded<Name extends string> = string & {
    readonly [brand]: Name;
};
export type TenantId = Branded<'TenantId'>;
export type SessionId = Branded<'SessionId'>;
export type RunId = Branded<'RunId'>;
export type CallId = Branded<'CallId'>;
export type AskId = Branded<'AskId'>;
/** Who asked: required on every run, kept on every entry. */
export type PrincipalId = Branded<'PrincipalId'>;
/** One process that may own lanes. */
export type InstanceId = Branded<'InstanceId'>;
/** `true` for strings that may be an id on the wire: 1 to 128 word characters, `.`, `:`, `@` or `-`. */
export declare function isId(text: string): boolean;
export declare const tenantId: (text: string) => TenantId;
export declare const sessionId: (text: string) => SessionId;
export declare const runId: (text: string) => RunId;
export declare const callId: (text: string) => CallId;
export declare const askId: (text: string) => AskId;
export declare const principalId: (text: string) => PrincipalId;
export declare const instanceId: (text: string) => InstanceId;
/** An id for a session that is yet to be: known before its first message, which is sent with `create`. */
export declare const newSessionId: () => SessionId;
/** The tenant of a product without tenants. */
export declare const LOCAL_TENANT: TenantId;
export {};
