import { type Teardown } from './blame.ts';
import { PluginError, type Code } from './errors.ts';
import type { ScopeKind, Slot } from './token.ts';
/** A value put into a scope where it begins, such as the facts of a session. */
export type Seed<T = unknown> = readonly [slot: Slot<T>, value: T];
/** Seeds whose values are checked against their slots. */
export type Seeds<T extends readonly unknown[]> = {
    readonly [I in keyof T]: readonly [slot: Slot<T[I]>, value: NoInfer<T[I]>];
};
/** Where services live: kernel ⊃ session ⊃ run. Cheap to make; a service is built when it is first asked for. */
export interface Scope {
    readonly kind: ScopeKind;
    /** Throws {@link ScopeError}: `MISSING_PROVIDER`, `SCOPE_LEAK`, `CYCLE`; or the `PluginError` of a factory. */
    get<T>(slot: Slot<T>): T;
    /** As `get`, but `undefined` where nobody provides it. */
    find<T>(slot: Slot<T>): T | undefined;
    has(slot: Slot<unknown>): boolean;
    child<const T extends readonly unknown[]>(kind: 'session' | 'run', seeds?: Seeds<T>): Scope;
    /** Undone last made first, when this scope closes. */
    onClose(undo: Teardown): void;
    /** Closes what was made here and below. The errors of undoing are returned, never thrown. */
    close(): Promise<readonly PluginError[]>;
}
export declare class ScopeError extends Error {
    readonly name = "ScopeError";
    readonly code: Code;
    constructor(code: Code, message: string);
}
/** How a slot is filled in one generation. */
export interface Binding {
    readonly slot: Slot<unknown>;
    readonly owner: string;
    readonly make: (scope: Scope) => unknown;
}
/** A scope, with awilix for what is made in it: it keeps each service, and sees those that wait for each other. */
export declare class ServiceScope implements Scope {
    #private;
    readonly kind: ScopeKind;
    constructor(kind: ScopeKind, bindings: ReadonlyMap<symbol, Binding>, seeds: readonly Seed[], parent?: ServiceScope);
    get<T>(slot: Slot<T>): T;
    find<T>(slot: Slot<T>): T | undefined;
    has(slot: Slot<unknown>): boolean;
    child<const T extends readonly unknown[]>(kind: 'session' | 'run', seeds?: Seeds<T>): Scope;
    onClose(undo: Teardown): void;
    close(): Promise<readonly PluginError[]>;
    /** Closes the scopes in this one, the newest first. */
    closeBelow(): Promise<readonly PluginError[]>;
}
