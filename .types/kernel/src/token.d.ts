declare const TYPE: unique symbol;
export type ScopeKind = 'kernel' | 'session' | 'run';
/** Names a service that exactly one plugin provides: *who does it*. */
export interface Slot<T, S extends ScopeKind = ScopeKind> {
    readonly kind: 'slot';
    readonly id: string;
    readonly scope: S;
    /** Registered globally, so that two copies of the SDK agree. */
    readonly key: symbol;
    /** Carries the type; never present at run time. */
    readonly [TYPE]?: T;
}
/** Names a list of keyed entries that many plugins fill: *which ones exist*. */
export interface Registry<T> {
    readonly kind: 'registry';
    readonly id: string;
    readonly key: symbol;
    readonly [TYPE]?: T;
}
export type Token = Slot<unknown> | Registry<unknown>;
/**
 * Makes a slot token of a scope.
 *
 * @example
 * export interface Mailer { send(to: string, text: string, signal: AbortSignal): Promise<void> }
 * export const Mailer = slot.kernel<Mailer>('mailer')
 */
export declare const slot: {
    readonly kernel: <T>(id: string) => Slot<T, 'kernel'>;
    readonly session: <T>(id: string) => Slot<T, 'session'>;
    readonly run: <T>(id: string) => Slot<T, 'run'>;
};
/** Makes a registry token. */
export declare function registry<T>(id: string): Registry<T>;
export {};
